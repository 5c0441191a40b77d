import { parse } from '../../../../grammar/filter.peggy'

interface Operand {
  readonly kind: string
  readonly text: string
  readonly args?: readonly Operand[]
}
type Chain = readonly {
  readonly item: Chain | { readonly left: Operand; readonly right: Operand }
}[]

/** The fields that a filter names; or the position of its syntax error, by the server's grammar. */
export function readFilter(filter: string): { names: readonly string[] } | { at: number } {
  if (filter.trim() === '') return { names: [] }
  try {
    return { names: listChainNames(parse(filter) as Chain) }
  } catch (error) {
    return {
      at:
        (error as { location?: { start: { offset: number } } }).location?.start.offset ??
        filter.length,
    }
  }
}

const listChainNames = (chain: Chain): string[] =>
  chain.flatMap(({ item }) =>
    'left' in item ? [item.left, item.right].flatMap(listOperandNames) : listChainNames(item),
  )

const listOperandNames = ({ kind, text, args = [] }: Operand): string[] =>
  kind === 'identifier' ? [text] : args.flatMap(listOperandNames)
