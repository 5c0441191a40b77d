/** `POST /api/sms/preview`. */
export interface Preview {
  readonly body: string
  readonly segments: number
  readonly recipients_count: number
  readonly total_segments: number
  /** An estimate, by the limits of the lines; '' when no line is on. */
  readonly last_leaves_at: string
  /** How many recipients have opted out and get nothing. */
  readonly opted_out: number
  /** Of a template: variables without a value for one recipient at least. */
  readonly missing?: readonly string[]
  readonly items: readonly {
    readonly to: string
    readonly body: string
    readonly segments: number
    readonly opted_out: boolean
  }[]
}
