/** Tags that describe colours: ICC.1:2022, 9.2. Others name the screen, its number and its owner. */
const TAGS: ReadonlySet<string> = new Set([
  ...['wtpt', 'bkpt', 'chad', 'lumi', 'cicp', 'gamt'],
  ...['rXYZ', 'gXYZ', 'bXYZ', 'rTRC', 'gTRC', 'bTRC', 'kTRC'],
  ...['A2B0', 'A2B1', 'A2B2', 'B2A0', 'B2A1', 'B2A2'],
])
const HEADER_BYTES = 128
/** Bytes of the header that name the profile's maker, device, day and hash: ICC.1:2022, 7.2. */
const HIDDEN: readonly (readonly [from: number, to: number])[] = [
  [4, 8],
  [24, 36],
  [40, 44],
  [48, 64],
  [80, 128],
]

/** Transforms that a profile writes as a program of its own. Optional: ICC.1:2022, 9.2.21 to 9.2.28. */
const PROGRAMS: ReadonlySet<string> = new Set([
  ...['D2B0', 'D2B1', 'D2B2', 'D2B3', 'B2D0', 'B2D1', 'B2D2', 'B2D3'],
])
/** Maximum tags that are read, as in lcms, the library of decoders. */
const MAX_TAGS = 100

interface Tag {
  readonly name: string
  readonly offset: number
  readonly size: number
}

/**
 * A profile of colours without all that names a device, a program or a person. Undefined if it is none, or
 * would become larger, as one whose tags overlap.
 */
export function stripProfile(profile: Buffer): Buffer | undefined {
  if (profile.toString('latin1', 36, 40) !== 'acsp' || profile.length < HEADER_BYTES + 4)
    return undefined
  const tags = listTags(profile).filter(
    ({ name, offset, size }) => TAGS.has(name) && offset + size <= profile.length,
  )
  return tags.length === 0 || sumBytes(tags) > profile.length
    ? undefined
    : writeProfile(profile, tags)
}

function listTags(profile: Buffer): Tag[] {
  const tags: Tag[] = []
  for (let i = 0; i < Math.min(MAX_TAGS, profile.readUInt32BE(HEADER_BYTES)); i++) {
    const at = HEADER_BYTES + 4 + 12 * i
    if (at + 12 > profile.length) break
    const name = profile.toString('latin1', at, at + 4)
    tags.push({ name, offset: profile.readUInt32BE(at + 4), size: profile.readUInt32BE(at + 8) })
  }
  return tags
}

/**
 * Whether a profile has a transform of any number of steps, which a decoder runs for each colour: 10,000 of
 * them, in a file of 80 kB, take 22 s.
 */
export const hasProgram = (profile: Buffer): boolean =>
  profile.length >= HEADER_BYTES + 4 && listTags(profile).some(({ name }) => PROGRAMS.has(name))

/** Names the data of a tag: several tags may share theirs. */
const nameData = ({ offset, size }: Tag): string => `${offset} ${size}`

const sumBytes = (tags: readonly Tag[]): number =>
  [...new Map(tags.map((tag) => [nameData(tag), tag.size])).values()].reduce((a, b) => a + b, 0)

function writeProfile(profile: Buffer, tags: readonly Tag[]): Buffer {
  const head = Buffer.alloc(HEADER_BYTES + 4 + 12 * tags.length)
  profile.copy(head, 0, 0, HEADER_BYTES)
  for (const [from, to] of HIDDEN) head.fill(0, from, to)
  head.writeUInt32BE(tags.length, HEADER_BYTES)
  const written = new Map<string, number>()
  const parts = [head]
  let length = head.length
  for (const [i, tag] of tags.entries()) {
    const { name, offset, size } = tag
    const at = HEADER_BYTES + 4 + 12 * i
    head.write(name, at, 'latin1')
    if (!written.has(nameData(tag))) {
      const data = Buffer.alloc(Math.ceil(size / 4) * 4)
      profile.copy(data, 0, offset, offset + size)
      written.set(nameData(tag), length)
      parts.push(data)
      length += data.length
    }
    head.writeUInt32BE(written.get(nameData(tag))!, at + 4)
    head.writeUInt32BE(size, at + 8)
  }
  head.writeUInt32BE(length, 0)
  return Buffer.concat(parts)
}
