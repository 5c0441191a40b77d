import { tryRemovals } from '../../support/try-removals.ts'
import { CHECKS } from './late-refusal-checks.ts'

// Removes checks of whether a text may still be sent to its person: the tests must fail. Run by hand:
// npx node test/gateway/consent/late-refusal-removals.ts [--count 20] [--seed 1]

const TESTS = [
  'test/gateway/consent',
  'test/gateway/conversations/opted-out-meanwhile.test.ts',
  ...['--project', 'quick', '--project', 'slow'],
]

tryRemovals(CHECKS.map((removed) => ({ removed, tests: TESTS })))
