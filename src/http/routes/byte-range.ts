export interface Range {
  readonly start: number
  readonly length: number
}

export class RangeFault extends Error {
  override name = 'RangeFault'
  readonly isBeyond: boolean

  constructor(isBeyond: boolean) {
    super(isBeyond ? 'invalid range: failed to overlap' : 'invalid range')
    this.isBeyond = isBeyond
  }
}

/** The range to send; undefined for the whole file. (npm's `range-parser` misreads suffixes.) RFC 9110 */
export function readRange(header: string, size: number): Range | undefined {
  if (header === '') return undefined
  if (!header.startsWith('bytes=')) throw new RangeFault(false)
  const specs = header.slice('bytes='.length).split(',')
  const ranges = specs
    .filter((spec) => spec.trim() !== '')
    .map((spec) => parseByteRange(spec.trim(), size))
  const [range] = ranges
  if (ranges.length > 0 && !ranges.some(Boolean)) throw new RangeFault(true)
  return ranges.length === 1 ? range : undefined
}

function parseByteRange(spec: string, size: number): Range | undefined {
  const [, from = '', to = ''] = /^(\d*)[\t ]*-[\t ]*(\d*)$/.exec(spec) ?? throwRangeFault()
  if (from === '') {
    if (to === '') throwRangeFault()
    const length = Math.min(Number(to), size)
    return { start: size - length, length }
  }
  const start = Number(from)
  if (start >= size) return undefined
  if (to !== '' && Number(to) < start) throwRangeFault()
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return { start, length: end - start + 1 }
}

function throwRangeFault(): never {
  throw new RangeFault(false)
}
