/** A step of a time line. `Detail`: a text, or elements. */
export interface Step<Detail = string> {
  readonly id: string
  readonly words: string
  /** The instant; '' shows none. */
  readonly at: string
  /** The colour of the dot. */
  readonly tone?: string
  readonly detail?: Detail
}
