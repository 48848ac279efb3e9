"""Random programs over small arrays: three generators, a judge, a runner and a reducer."""
