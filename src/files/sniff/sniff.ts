import { ARCHIVES as A } from './archives.ts'
import { withCharset } from './charset.ts'
import { DOCUMENTS as D } from './documents.ts'
import { IMAGES as I } from './images.ts'
import { type ContentKind, HEAD_BYTES } from './kind.ts'
import { PROGRAMS as P } from './programs.ts'
import { SOUND as S } from './sound.ts'
import { TEXT } from './texts.ts'

/**
 * All kinds in the order in which they are asked. The table is PocketBase's (its MIME library's tree.go),
 * name by name: of the libraries for Node the best known names 60 of these types otherwise, and knows no
 * text.
 */
const KINDS: readonly ContentKind[] = [
  ...[I.xpm, A.sevenZ, A.zip, D.pdf, D.fdf, D.ole, D.ps, I.psd, D.p7s, S.ogg, I.png, I.jpg, I.jxl, I.jp2],
  ...[I.jpx, I.jpm, I.jxs, I.gif, I.webp, P.exe, P.elf, A.ar, A.tar, A.xar, A.bz2, A.fits, I.tiff, I.bmp],
  ...[D.lotus, I.ico, S.mp3, S.flac, S.midi, S.ape, S.musePack, S.amr, S.wav, S.aiff, S.au, S.mpeg],
  ...[S.quickTime, S.mp4, S.webM, S.avi, S.flv, S.mkv, S.asf, S.aac, S.voc, S.m3u, S.rmvb, A.gzip, P.class],
  ...[P.swf, A.crx, P.ttf, P.woff, P.woff2, P.otf, P.ttc, P.eot, P.wasm, P.shx, P.dbf, P.dcm, A.rar, I.djvu],
  ...[D.mobi, D.lit, I.bpg, P.cbor, P.sqlite3, I.dwg, P.nes, P.lnk, P.macho, S.qcp, I.icns, I.hdr, P.mrc],
  ...[P.mdb, P.accdb, A.zstd, A.cab, A.rpm, A.xz, A.lzip, P.torrent, A.cpio, P.tzif, I.xcf, I.pat, I.gbr],
  ...[P.glb, A.cabIS, I.jxr, P.parquet, D.oneNote, D.chm, D.wpd, I.dxf, P.grib, A.zlib, D.inf, D.hlp, D.fm],
  ...[P.bufr, TEXT],
]

const ROOT: ContentKind = { type: 'application/octet-stream', extension: '', test: () => true, kinds: KINDS }

/** What a file is by its content. */
export interface Sniffed {
  /** With the encoding of a text: `text/plain; charset=utf-8`. */
  readonly type: string
  /** With its dot; '' if the kind has none. */
  readonly extension: string
  /** All names of the type, without an encoding. */
  readonly names: readonly string[]
}

/**
 * Tells what a file is by its first bytes; its name says nothing. PocketBase:
 * github.com/gabriel-vasile/mimetype
 */
export function sniff(content: Buffer): Sniffed {
  const head = content.subarray(0, HEAD_BYTES).toString('latin1')
  let kind = ROOT
  for (let next: ContentKind | undefined = ROOT; next; next = next.kinds?.find(({ test }) => test(head)))
    kind = next
  const { type, extension, aliases = [] } = kind
  return { type: withCharset(type, head), extension, names: [type, ...aliases] }
}
