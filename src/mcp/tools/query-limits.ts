import { spendReading } from '../../filter/compile/shape-budget.ts'
import { readSort } from '../../filter/compile/sort.ts'
import { FilterError } from '../../filter/errors.ts'
import { namesIn } from '../../filter/parse/names.ts'
import { parseFilter } from '../../filter/parse/parse.ts'
import { spelling } from '../../filter/parse/tree.ts'
import type { McpCaller } from '../caller.ts'

/**
 * A key without `all:any` names the fields of the listed records alone: a path through a relation would tell
 * of records that its scopes do not open. Throws a FilterError for one, and for what cannot be read.
 */
export function checkNames({ may, client }: McpCaller, filter: string, sort: string): void {
  if (may('all:any')) return
  const read = () => parseFilter(filter, () => spendReading(client, filter.length))
  const filtered = filter === '' ? [] : [...namesIn(read())]
  const sorted = readSort(sort).map(({ name }) => name)
  if ([...filtered, ...sorted].some((name) => name.includes('.')))
    throw new FilterError('a path through a relation needs all:any')
}

const SENT = 'message_type = "outgoing"'

/**
 * A filter of messages, as far as the caller may see them: those that were received need `inbox:list`, too.
 * Throws a FilterError for what would undo that: a bracket in a comment ends a group.
 */
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
