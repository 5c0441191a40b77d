/** What we use of parse-prometheus-text-format 1.1, which brings no types. */
declare module 'parse-prometheus-text-format' {
  export interface Sample {
    readonly value?: string
    readonly labels?: Readonly<Record<string, string>>
    /** Of a histogram: counts by upper end. */
    readonly buckets?: Readonly<Record<string, string>>
    readonly count?: string
    readonly sum?: string
  }
  export interface Family {
    readonly name: string
    readonly help: string
    readonly type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM' | 'SUMMARY' | 'UNTYPED'
    readonly metrics: readonly Sample[]
  }
  function parse(text: string): Family[]
  // biome-ignore lint/style/noDefaultExport: it has no other
  export default parse
}
