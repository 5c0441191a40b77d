/** A kind of content by its first bytes, one character per byte. */
export type Signature = readonly [type: string, extension: string, pattern: RegExp]

const openDocument = (name: string, extension: string): Signature => [
  `application/vnd.oasis.opendocument.${name}`,
  extension,
  new RegExp(`^PK\\x03\\x04.{26}mimetypeapplication/vnd\\.oasis\\.opendocument\\.${name}`, 's'),
]
const OPEN_XML = 'application/vnd.openxmlformats-officedocument'
/** A ZIP archive that begins as an office document and has this folder. */
const office = (folder: string) =>
  new RegExp(
    `^PK\\x03\\x04.{26}(?:\\[Content_Types\\]\\.xml|_rels/|docProps/|customXml/|\\[trash\\]/|${folder}/)` +
      `(?:.*PK\\x03\\x04.{26}${folder}/|(?<=${folder}/))`,
    's',
  )
const NOTHING = '\\0\\0\\0\\0\\0\\xc0\\0\\0\\0\\0\\0\\0\\x46'

/**
 * Compound files of older Microsoft programs, by the class of their root. PocketBase: mimetype's
 * internal/magic/ms_office.go
 */
export const COMPOUND_CLASSES: readonly Signature[] = [
  ['application/x-ms-installer', '.msi', new RegExp(`^\\x84\\x10\\x0c${NOTHING}`)],
  ['application/vnd.ms-outlook', '.msg', new RegExp(`^\\x0b\\x0d\\x02${NOTHING}`)],
  ['application/vnd.ms-excel', '.xls', /^[\x10\x20]\x08\x02\0\0\0\0\0/],
  ['application/vnd.ms-publisher', '.pub', /^\x01\x12\x02\0\0\0\0\0\0\xc0/],
  [
    'application/vnd.ms-powerpoint',
    '.ppt',
    /^(?:\x10\x8d\x81\x64\x9b\x4f\xcf\x11|\x70\xae\x7b\xea\x3b\xfb\xcd\x11)/,
  ],
  ['application/msword', '.doc', new RegExp(`^[\\x06\\0\\x07]\\x09\\x02${NOTHING}`)],
]

/**
 * The same if the root is beyond the bytes that are read: by the content at 512. PocketBase finds documents
 * only by class.
 */
export const COMPOUND_STREAMS: readonly Signature[] = [
  [
    'application/vnd.ms-excel',
    '.xls',
    /^(?:\x09\x08\x10\0\0\x06\x05\0|\xfd\xff\xff\xff[\x10\x1f\x22\x23\x28\x29])/,
  ],
  [
    'application/vnd.ms-powerpoint',
    '.ppt',
    /^(?:\xa0\x46\x1d\xf0|\0\x6e\x1e\xf0|\x0f\0\xe8\x03|\xfd\xff\xff\xff..\0\0)/s,
  ],
]

/**
 * Types that file-type does not know or names less precisely than PocketBase, and types that may look like
 * text. PocketBase: mimetype's tree.go
 */
export const SIGNATURES: readonly Signature[] = [
  ['image/gif', '.gif', /^GIF8[79]a/],
  ['image/vnd.mozilla.apng', '.png', /^\x89PNG\r\n\x1a\n.{29}acTL/s],
  ['image/png', '.png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', '.jpg', /^\xff\xd8\xff(?!\xf7)/],
  ['image/tiff', '.tiff', /^(?:II\*\0|MM\0\*)/],
  ['application/pdf', '.pdf', /^.{0,1019}?%PDF-/s],
  ['application/vnd.fdf', '.fdf', /^%FDF/],
  ['application/postscript', '.ps', /^%!PS-Adobe-/],
  ['image/x-xpixmap', '.xpm', /^\/\* XPM \*\//],
  ['application/gzip', '.gz', /^\x1f\x8b/],
  ['application/x-executable', '', /^\x7fELF.{12}(?:\x02\0|\0\x02)/s],
  ['application/x-sharedlib', '.so', /^\x7fELF.{12}(?:\x03\0|\0\x03)/s],
  ['application/x-object', '', /^\x7fELF.{12}(?:\x01\0|\0\x01)/s],
  ['application/x-coredump', '', /^\x7fELF.{12}(?:\x04\0|\0\x04)/s],
  ['application/x-elf', '', /^\x7fELF/],
  ['application/vnd.debian.binary-package', '.deb', /^!<arch>.debian-binary/s],
  ['application/x-archive', '.a', /^!<arch>/],
  ['application/x-xar', '.xar', /^xar!/],
  ['application/fits', '.fits', /^SIMPLE {2}= {20}T/],
  [
    'application/pkcs7-signature',
    '.p7s',
    /^(?:-----BEGIN PKCS7|0(?:\x80|\x81.|\x82..|\x83.{3}|\x84.{4})\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07)/s,
  ],
  openDocument('formula', '.odf'),
  openDocument('chart', '.odc'),
  ['application/vnd.sun.xml.calc', '.sxc', /^PK\x03\x04.{26}mimetypeapplication\/vnd\.sun\.xml\.calc/s],
  ['application/vnd.google-earth.kmz', '.kmz', /^PK\x03\x04.{26}doc\.kml/s],
  [
    'application/java-archive',
    '.jar',
    /^PK\x03\x04.{26}(?:META-INF\/(?!com\/)|[\x20-\x7e]{1,300}\xfe\xca\0\0)/s,
  ],
  [`${OPEN_XML}.wordprocessingml.document`, '.docx', office('word')],
  [`${OPEN_XML}.presentationml.presentation`, '.pptx', office('ppt')],
  [`${OPEN_XML}.spreadsheetml.sheet`, '.xlsx', office('xl')],
  ['application/vnd.ms-visio.drawing.main+xml', '.vsdx', office('visio')],
  ['audio/mpeg', '.mp3', /^(?:ID3[\x02-\x04]|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/],
  ['image/heif', '.heif', /^\0.{3}ftyp(?:mif1|hei[ms]|avic)/s],
  ['audio/basic', '.au', /^\.snd/],
  ['audio/aac', '.aac', /^\xff[\xf1\xf9]/],
  [
    'video/vnd.dvb.file',
    '.dvb',
    /^\0.{3}ftyp(?:dby1|dsms|dts[123]|dxo |dmb1|dmpf|drc1|dv[123][ab]|dv[rt]1)/s,
  ],
  ['application/vnd.apple.mpegurl', '.m3u', /^#EXTM3U\r?\n/],
  ['application/vnd.shp', '.shp', /^\0\0\x27\x0a\0{20}.{4}\xe8\x03\0\0/s],
  ['application/vnd.shx', '.shx', /^\0\0\x27\x0a/],
  [
    'application/x-dbf',
    '.dbf',
    /^[\x02-\x05\x30-\x32\x42\x62\x7b\x82\x83\x87\x8a\x8b\x8e\xb3\xcb\xe5\xf4\xf5].[\x01-\x0c][\x01-\x1f].{8}\0\0.{14}[\0\x01].\0\0.{36}/s,
  ],
  ['image/vnd.djvu', '.djvu', /^AT&TFORM.{4}(?:DJV[MUI]|THUM)/s],
  ['application/x-ms-reader', '.lit', /^ITOLITLS/],
  ['application/cbor', '.cbor', /^\xd9\xd9\xf7/],
  ['image/vnd.radiance', '.hdr', /^#\?RADIANCE\n/],
  ['application/marc', '.mrc', /^\d{5}.{15}4500.{0,2023}?\x1e/s],
  ['application/x-msaccess', '.mdb', /^.{4}Standard Jet DB/s],
  ['application/x-msaccess', '.accdb', /^.{4}Standard ACE DB/s],
  ['application/x-installshield', '.cab', /^ISc\(..[\0][\x01\x02\x04]/s],
  ['application/x-bittorrent', '.torrent', /^d8:announce/],
  ['application/tzif', '', /^TZif[\0\x32\x33].{39}/s],
  ['image/x-gimp-pat', '.pat', /^.{20}GPAT/s],
  ['image/x-gimp-gbr', '.gbr', /^.{20}GIMP/s],
  ['application/onenote', '.one', /^\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3/],
  ['application/vnd.wordperfect', '.wpd', /^\xffWPC.{4}\x01\x0a/s],
  ['application/vnd.lotus-1-2-3', '.123', /^\0\0[\x02\x1a]\0.{2}[^\0]\0.{13}/s],
  ['image/vnd.dxf', '.dxf', /^(?: {2})?0\r?\nSECTION\r?\n/],
  ['application/grib', '.grb', /^GRIB.{3}[\x01\x02]/s],
  ['application/bufr', '.bufr', /^BUFR.{3}[\x03\x04]/s],
  ['application/x-os2-inf', '.inf', /^HSP\x01\x9b\0/],
  ['application/x-os2-hlp', '.hlp', /^HSP\x10\x9b\0/],
  ['image/jxs', '.jxs', /^\0\0\0\x0cJXS \r\n\x87\n/],
]
