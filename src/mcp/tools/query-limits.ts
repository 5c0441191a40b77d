import { spendReading } from '../../filter/compile/shape-budget.ts'
import { readSort } from '../../filter/compile/sort.ts'
import { FilterError } from '../../filter/errors.ts'
import { namesIn } from '../../filter/parse/names.ts'
import { parseFilter } from '../../filter/parse/parse.ts'
import { spelling } from '../../filter/parse/tree.ts'
import type { McpCaller } from '../caller.ts'

/** A key without `all:any` filters by own fields, never through relations. Throws a FilterError. */
export function checkNames({ may, client }: McpCaller, filter: string, sort: string): void {
  if (may('all:any')) return
  const read = () => parseFilter(filter, () => spendReading(client, filter.length))
  const filtered = filter === '' ? [] : [...namesIn(read())]
  const sorted = readSort(sort).map(({ name }) => name)
  if ([...filtered, ...sorted].some((name) => name.includes('.')))
    throw new FilterError('a path through a relation needs all:any')
}

const SENT = 'message_type = "outgoing"'

/** A filter of the messages that the caller may see. Throws a FilterError for an escaping bracket. */
export function visibleMessages({ may }: McpCaller, filter: string): string {
  if (may('inbox:list')) return filter
  if (filter === '') return SENT
  const both = `${SENT} && (${filter}\n)`
  const { root } = parseFilter(both)
  const [first] = root.kind === 'and' ? root.items : []
  const isOurs = first?.kind === 'comparison' && spelling(first.left) === 'message_type'
  if (!isOurs || first.sign !== '=' || spelling(first.right) !== 'outgoing')
    throw new FilterError('invalid group')
  return both
}
