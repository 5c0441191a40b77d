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
 * its data: one that is not needed becomes free room. Undefined if a box leads out of the film.
 */
export function stripFilm(film: Buffer): Buffer | undefined {
  const stripped = Buffer.from(film)
  return emptyBoxes(stripped, 0, stripped.length) ? stripped : undefined
}

interface Box {
  readonly type: string
  readonly start: number
  /** Where the content begins. */
  readonly from: number
  readonly end: number
}

function* readBoxes(film: Buffer, from: number, to: number): Generator<Box | undefined> {
  for (let start = from; start < to; ) {
    if (start + 8 > to) return yield undefined
    const size = film.readUInt32BE(start)
    const isLong = size === 1 && start + 16 <= to
    const length = isLong ? Number(film.readBigUInt64BE(start + 8)) : size === 0 ? to - start : size
    const end = start + length
    const content = start + (isLong ? 16 : 8)
    if (end > to || content > end) return yield undefined
    yield { type: film.toString('latin1', start + 4, start + 8), start, from: content, end }
    start = end
  }
}

/** False if a box leads out of its parent. */
function emptyBoxes(film: Buffer, from: number, to: number): boolean {
  for (const box of readBoxes(film, from, to)) {
    if (!box) return false
    if (CONTAINERS.has(box.type) && isPlayed(film, box)) {
      if (!emptyBoxes(film, box.from, box.end)) return false
    } else if (NEEDED.has(box.type)) hideWords(film, box)
    else {
      film.write('free', box.start + 4, 'latin1')
      film.fill(0, box.from, box.end)
    }
  }
  return true
}

/** Whether a track is one that players play; true for other boxes. */
function isPlayed(film: Buffer, { type, from, end }: Box): boolean {
  if (type !== 'trak') return true
  const media = findBox(film, from, end, 'mdia')
  const handler = media && findBox(film, media.from, media.end, 'hdlr')
  return !handler || PLAYED.has(film.toString('latin1', handler.from + 8, handler.from + 12))
}

function findBox(film: Buffer, from: number, to: number, type: string): Box | undefined {
  for (const box of readBoxes(film, from, to)) if (box?.type === type) return box
  return undefined
}

function hideWords(film: Buffer, { type, from, end }: Box): void {
  const times = film[from] === 1 ? 16 : 8
  if (DATED.has(type)) film.fill(0, from + 4, Math.min(end, from + 4 + times))
  // the name that a program gives its part: behind its kind
  if (type === 'hdlr') film.fill(0, Math.min(end, from + 24), end)
}
