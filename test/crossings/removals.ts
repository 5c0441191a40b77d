import { tryRemovals } from '../support/try-removals.ts'
import { REMOVALS } from './checks.ts'

// Removes checks of what the crossing table promises, one in each column at least: a test that a cell of the
// column names must fail. Run by hand: npx node test/crossings/removals.ts [--count 20] [--seed 1]

tryRemovals(REMOVALS)
