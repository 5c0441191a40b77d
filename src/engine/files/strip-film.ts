import { MAX_FILE_PARTS } from './picture-parts.ts'

/** Boxes that hold other boxes on the way to what describes a film: ISO/IEC 14496-12, table 1. */
const CONTAINERS: ReadonlySet<string> = new Set([
  ...['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf'],
])
/** Boxes that players need. All others are emptied: `udta`, `meta`, `uuid`, those of cameras, free room. */
const NEEDED: ReadonlySet<string> = new Set([
  ...[
    'ftyp',
    'styp',
    'pdin',
    'mdat',
    'sidx',
    'mfra',
    'tfra',
    'mfro',
    'mvhd',
    'tkhd',
    'mdhd',
    'hdlr',
  ],
  ...[
    'edts',
    'tref',
    'vmhd',
    'smhd',
    'nmhd',
    'sthd',
    'dinf',
    'stsd',
    'stts',
    'ctts',
    'cslg',
    'stsc',
  ],
  ...[
    'stsz',
    'stz2',
    'stco',
    'co64',
    'stss',
    'stsh',
    'sdtp',
    'sbgp',
    'sgpd',
    'subs',
    'saiz',
    'saio',
  ],
  ...['padb', 'stdp', 'elst', 'mehd', 'trex', 'mfhd', 'tfhd', 'tfdt', 'trun', 'tapt', 'elng'],
])
/** Boxes that say when the film was made: version, flags, then two times of four or eight bytes. */
const DATED: ReadonlySet<string> = new Set(['mvhd', 'tkhd', 'mdhd'])
/** Tracks that players show or play. Cameras write others, of places and movements. */
const PLAYED: ReadonlySet<string> = new Set(['vide', 'soun', 'text', 'sbtl', 'subt'])

/**
 * A film (MP4, 3GP) without its place, day, device and program. No box moves, as others have the addresses of
 * its data: one that is not needed becomes free room. Undefined if a box leads out of the film. Throws
 * RangeError for a table that does, and for too many parts.
 */
export function stripFilm(film: Buffer): Buffer | undefined {
  const bytes = Buffer.from(film)
  const stripped = { bytes, partsLeft: MAX_FILE_PARTS, sampleBytesLeft: bytes.length }
  return emptyBoxes(stripped, 0, bytes.length) ? bytes : undefined
}

interface Film {
  readonly bytes: Buffer
  /** Boxes and pieces of tracks that may still be read. */
  partsLeft: number
  /** Bytes of samples that may still be emptied: tables may name the same ones again and again. */
  sampleBytesLeft: number
}

interface Box {
  readonly type: string
  readonly start: number
  readonly from: number
  readonly end: number
}

function countPart(film: Film): void {
  if (film.partsLeft-- === 0) throw new RangeError('the film has too many parts')
}

function* readBoxes(film: Film, from: number, to: number): Generator<Box | undefined> {
  const { bytes } = film
  for (let start = from; start < to; ) {
    countPart(film)
    if (start + 8 > to) return yield undefined
    const size = bytes.readUInt32BE(start)
    const isLong = size === 1 && start + 16 <= to
    const length = isLong
      ? Number(bytes.readBigUInt64BE(start + 8))
      : size === 0
        ? to - start
        : size
    const end = start + length
    const content = start + (isLong ? 16 : 8)
    if (end > to || content > end) return yield undefined
    yield { type: bytes.toString('latin1', start + 4, start + 8), start, from: content, end }
    start = end
  }
}

/** False if a box leads out of its parent. */
function emptyBoxes(film: Film, from: number, to: number): boolean {
  for (const box of readBoxes(film, from, to)) {
    if (!box) return false
    const isShown = isPlayed(film, box)
    if (CONTAINERS.has(box.type) && isShown) {
      if (!emptyBoxes(film, box.from, box.end)) return false
    } else if (NEEDED.has(box.type)) hideWords(film, box)
    else {
      if (!isShown) emptySamples(film, box)
      film.bytes.write('free', box.start + 4, 'latin1')
      film.bytes.fill(0, box.from, box.end)
    }
  }
  return true
}

/** Whether a track is one that players play; true for other boxes. */
function isPlayed(film: Film, box: Box): boolean {
  if (box.type !== 'trak') return true
  const handler = findBox(film, box, 'mdia', 'hdlr')
  return !handler || PLAYED.has(film.bytes.toString('latin1', handler.from + 8, handler.from + 12))
}

/** The box at a path of types; undefined if there is none. */
function findBox(film: Film, parent: Box, ...path: readonly string[]): Box | undefined {
  let found: Box | undefined = parent
  for (const type of path) {
    const boxes: Generator<Box | undefined> = readBoxes(film, found.from, found.end)
    found = boxes.find((box) => box?.type === type)
    if (!found) return undefined
  }
  return found
}

/** Empties what a track has in `mdat`: the places of a drive lie there, among the pictures. */
function emptySamples(film: Film, track: Box): void {
  const table = findBox(film, track, 'mdia', 'minf', 'stbl')
  if (!table) return
  const { bytes } = film
  const readSize = findSampleSizes(film, table)
  const runs = findBox(film, table, 'stsc')
  const offsets = findBox(film, table, 'stco')
  const longOffsets = offsets ? undefined : findBox(film, table, 'co64')
  const from = (offsets ?? longOffsets)?.from
  if (!readSize || !runs || from === undefined) return
  const chunks = bytes.readUInt32BE(from + 4)
  const lastRun = bytes.readUInt32BE(runs.from + 4) - 1
  let [run, sample] = [0, 0]
  for (let chunk = 0; chunk < chunks; chunk++) {
    countPart(film)
    // a run says how many samples each chunk has, up to the first chunk of the next run
    while (run < lastRun && bytes.readUInt32BE(runs.from + 20 + 12 * run) <= chunk + 1) run++
    const samples = bytes.readUInt32BE(runs.from + 12 + 12 * run)
    const start = offsets
      ? bytes.readUInt32BE(from + 8 + 4 * chunk)
      : Number(bytes.readBigUInt64BE(from + 8 + 8 * chunk))
    const length = readSize(sample, samples)
    sample += samples
    const end = Math.min(bytes.length, start + length)
    if (start >= end) continue
    film.sampleBytesLeft -= end - start
    if (film.sampleBytesLeft < 0) throw new RangeError('the samples of a track overlap')
    bytes.fill(0, start, end)
  }
}

/** Returns a function that sums the bytes of some samples of a track, from the sample `first`. */
function findSampleSizes(
  film: Film,
  table: Box,
): ((first: number, count: number) => number) | undefined {
  const { bytes } = film
  const sizes = findBox(film, table, 'stsz')
  const short = sizes ? undefined : findBox(film, table, 'stz2')
  const from = (sizes ?? short)?.from
  if (from === undefined) return undefined
  const equal = sizes ? bytes.readUInt32BE(from + 4) : 0
  const bits = short ? bytes.readUInt8(from + 7) : 32
  const total = bytes.readUInt32BE(from + 8)
  const readOne = (sample: number): number => {
    const at = from + 12 + Math.floor((sample * bits) / 8)
    if (bits !== 4) return bytes.readUIntBE(at, bits / 8)
    return sample % 2 ? bytes.readUInt8(at) & 15 : bytes.readUInt8(at) >> 4
  }
  return (first, count) => {
    const last = Math.min(total, first + count)
    if (equal > 0) return equal * Math.max(0, last - first)
    let sum = 0
    for (let sample = first; sample < last; sample++) sum += readOne(sample)
    return sum
  }
}

function hideWords(film: Film, { type, from, end }: Box): void {
  const { bytes } = film
  const hide = (start: number, length: number) =>
    bytes.fill(0, Math.min(end, start), Math.min(end, start + length))
  if (DATED.has(type)) hide(from + 4, bytes[from] === 1 ? 16 : 8)
  // the maker, and the name that a program gives its part: behind its kind
  if (type === 'hdlr') hide(from + 12, end)
  if (type !== 'stsd') return
  for (const entry of readBoxes(film, Math.min(end, from + 8), end))
    if (entry && PICTURE_CODES.test(entry.type)) {
      // the program's version and maker, and the name that it gives its code
      hide(entry.from + 8, 16)
      hide(entry.from + 42, 32)
    }
}

/** Codes of pictures that phones show: H.263, H.264, H.265, AV1, VP9, MPEG-4. */
const PICTURE_CODES = /^(?:s263|avc[1-4]|hvc1|hev1|av01|vp0[89]|mp4v|dv[ah]\w)$/
