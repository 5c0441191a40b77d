/** A part of a file: first byte and length. */
export interface Range {
  readonly start: number
  readonly length: number
}

/** The header is no range at all, or none that the file has. Go: net/http, errNoOverlap */
export class RangeFault extends Error {
  override name = 'RangeFault'
  readonly isBeyond: boolean

  constructor(isBeyond: boolean) {
    super(isBeyond ? 'invalid range: failed to overlap' : 'invalid range')
    this.isBeyond = isBeyond
  }
}

/**
 * The parts of a file of `size` bytes that a Range header asks for; none if it asks for nothing. Throws a
 * RangeFault. Own code, as range-parser 1.3.0 refuses the last 500 bytes of a file of 400, which RFC 7233
 * wants whole.
 */
export function readRanges(header: string, size: number): Range[] {
  if (header === '') return []
  if (!header.startsWith('bytes=')) throw new RangeFault(false)
  const specs = header
    .slice('bytes='.length)
    .split(',')
    .map((spec) => spec.trim())
    .filter((spec) => spec !== '')
  const ranges = specs.map((spec) => readRange(spec, size)).filter((range) => range !== undefined)
  if (ranges.length === 0 && specs.length > 0) throw new RangeFault(true)
  return ranges
}

/** Undefined for one that begins behind the end. */
function readRange(spec: string, size: number): Range | undefined {
  const [, from = '', to = ''] = /^(\d*)[\t ]*-[\t ]*(\d*)$/.exec(spec) ?? fail()
  if (from === '') {
    if (to === '') fail()
    const length = Math.min(Number(to), size)
    return { start: size - length, length }
  }
  const start = Number(from)
  if (start >= size) return undefined
  if (to !== '' && Number(to) < start) fail()
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return { start, length: end - start + 1 }
}

function fail(): never {
  throw new RangeFault(false)
}
