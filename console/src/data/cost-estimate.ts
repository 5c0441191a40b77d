/** Costs of texts if they left now, as previews of sends and campaigns return it. */
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
