// A JPEG, byte by byte. ITU-T T.81, annex B: https://www.w3.org/Graphics/JPEG/itu-t81.pdf

const SOI = Buffer.from([0xff, 0xd8])

/** A segment: its marker (`0xe1` for APP1), its length, its content. */
export function segment(marker: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string, 'latin1')
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(bytes.length + 2, 2)
  return Buffer.concat([head, bytes])
}

/**
 * A JPEG with segments right after its beginning, where programs write what they say about a
 * photo.
 */
export const insertSegments = (jpeg: Buffer, ...segments: readonly Buffer[]): Buffer =>
  Buffer.concat([SOI, ...segments, jpeg.subarray(2)])

/** Adobe's XMP: https://developer.adobe.com/xmp/docs/XMPSpecifications/, part 3, 1.1.3 */
export const xmpSegment = (properties: string): Buffer =>
  segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${writeXmp(properties)}`)

export const writeXmp = (properties: string): string =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ${properties}/></rdf:RDF></x:xmpmeta>`

/** Photoshop's block of IPTC fields. https://www.iptc.org/std/IIM/4.1/specification/IIMV4.1.pdf */
export function iptcSegment(caption: string): Buffer {
  const field = Buffer.concat([
    Buffer.from([0x1c, 2, 120, 0, caption.length]),
    Buffer.from(caption),
  ])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(field.length)
  const block = Buffer.concat([Buffer.from('8BIM\x04\x04\0\0', 'latin1'), size, field])
  return segment(0xed, Buffer.concat([Buffer.from('Photoshop 3.0\0'), block]))
}

/** The index of several pictures in one file. CIPA DC-007, chapter 5. */
export function mpfSegment(firstBytes: number, secondBytes: number): Buffer {
  const index = Buffer.alloc(4 + 4 + 2 + 3 * 12 + 4 + 32)
  index.write('MM\0*', 0, 'latin1')
  index.writeUInt32BE(8, 4)
  index.writeUInt16BE(3, 8)
  const entries: readonly (readonly [number, number, number, number])[] = [
    [0xb000, 7, 4, 0x30313030],
    [0xb001, 4, 1, 2],
    [0xb002, 7, 32, 50],
  ]
  for (const [i, [tag, type, count, value]] of entries.entries()) {
    index.writeUInt16BE(tag, 10 + i * 12)
    index.writeUInt16BE(type, 12 + i * 12)
    index.writeUInt32BE(count, 14 + i * 12)
    index.writeUInt32BE(value, 18 + i * 12)
  }
  index.writeUInt32BE(0x030000, 50)
  index.writeUInt32BE(firstBytes, 54)
  index.writeUInt32BE(secondBytes, 70)
  index.writeUInt32BE(firstBytes, 74)
  return segment(0xe2, Buffer.concat([Buffer.from('MPF\0'), index]))
}
