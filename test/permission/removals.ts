import { tryRemovals } from '../support/try-removals.ts'
import { CHECKS } from './checks.ts'

// Removes checks of the judge: the matrix must fail each time. Run by hand:
// ALL_CASES=1 npx node test/permission/removals.ts [--count 20] [--seed 1]

tryRemovals(CHECKS.map((removed) => ({ removed, tests: ['test/permission', '--project', 'slow'] })))
