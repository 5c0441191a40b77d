/** What texts would cost if they left now, as previews of sends and campaigns return it. */
export interface Estimate {
  readonly currency: string
  /** The lines that would send; `cost` is 0 for a line without prices. */
  readonly lines: readonly {
    readonly line: string
    readonly texts: number
    readonly cost: string
  }[]
  /** Texts that no line takes now, so that their cost is unknown. */
  readonly waiting: number
}

/** Estimates of parts of a send as one. */
export function addEstimates(parts: readonly Estimate[]): Estimate | null {
  const [first] = parts
  if (!first) return null
  const lines = new Map<string, Estimate['lines'][number]>()
  for (const one of parts.flatMap((part) => part.lines)) {
    const { texts = 0, cost = '0' } = lines.get(one.line) ?? {}
    const sum = { texts: texts + one.texts, cost: String(Number(cost) + Number(one.cost)) }
    lines.set(one.line, { line: one.line, ...sum })
  }
  const waiting = parts.reduce((sum, part) => sum + part.waiting, 0)
  return { currency: first.currency, lines: [...lines.values()], waiting }
}
