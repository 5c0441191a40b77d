import { crc32, deflateSync } from 'node:zlib'

// PNG, GIF, WebP and MP4, byte by byte.

/** A chunk of a PNG. https://www.w3.org/TR/png-3/#5Chunk-layout */
export function pngChunk(type: string, content: Buffer | string): Buffer {
  const data = Buffer.concat([Buffer.from(type), Buffer.from(content as string, 'latin1')])
  const chunk = Buffer.alloc(data.length + 8)
  chunk.writeUInt32BE(data.length - 4, 0)
  data.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(data), data.length + 4)
  return chunk
}

export const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** A PNG with chunks right after its header, IHDR. */
export const insertChunks = (png: Buffer, ...chunks: readonly Buffer[]): Buffer =>
  Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)])

/** The chunks of a PNG by type, with their content. */
export function* readChunks(png: Buffer): Generator<readonly [type: string, content: Buffer]> {
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    yield [png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length)]
    at += length + 12
  }
}

export const compressedText = (key: string, text: string) =>
  pngChunk('zTXt', Buffer.concat([Buffer.from(`${key}\0\0`), deflateSync(text)]))

export const internationalText = (key: string, text: string) =>
  pngChunk('iTXt', Buffer.from(`${key}\0\0\0\0\0${text}`))

/**
 * A block of a GIF: `0xfe` is a comment, `0xff` an application's.
 * https://www.w3.org/Graphics/GIF/spec-gif89a.txt
 */
export function gifExtension(label: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const blocks = parts.flatMap((part) => {
    const bytes = Buffer.from(part as string, 'latin1')
    return [Buffer.from([bytes.length]), bytes]
  })
  return Buffer.concat([Buffer.from([0x21, label]), ...blocks, Buffer.from([0])])
}

/** A GIF with blocks before its first frame. */
export function insertBlocks(gif: Buffer, ...blocks: readonly Buffer[]): Buffer {
  const packed = gif[10]!
  const at = 13 + (packed & 0x80 ? 3 << ((packed & 7) + 1) : 0)
  return Buffer.concat([gif.subarray(0, at), ...blocks, gif.subarray(at)])
}

/** A chunk of a WebP. https://developers.google.com/speed/webp/docs/riff_container */
export function riffChunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(type)
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
}

/** A box of an MP4 or 3GP. ISO/IEC 14496-12, 4.2. */
export function box(type: string, ...content: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part as string, 'latin1')))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(bytes.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, bytes])
}
