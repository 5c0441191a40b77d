/** A kind of content by its first bytes, one character per byte. */
export type Signature = readonly [type: string, extension: string, pattern: RegExp]

const OPEN_XML = 'application/vnd.openxmlformats-officedocument'
/** Matches a ZIP archive that begins like an office document and has this folder. */
const office = (folder: string) =>
  new RegExp(
    `^PK\\x03\\x04.{26}(?:\\[Content_Types\\]\\.xml|_rels/|docProps/|customXml/|\\[trash\\]/|${folder}/)` +
      `(?:.*PK\\x03\\x04.{26}${folder}/|(?<=${folder}/))`,
    's',
  )
const NOTHING = '\\0\\0\\0\\0\\0\\xc0\\0\\0\\0\\0\\0\\0\\x46'

/** Types of OLE compound files by the class ID of their root. PocketBase: internal/magic/ms_office.go */
export const COMPOUND_CLASSES: readonly Signature[] = [
  ['application/vnd.ms-outlook', '.msg', new RegExp(`^\\x0b\\x0d\\x02${NOTHING}`)],
  ['application/vnd.ms-excel', '.xls', /^[\x10\x20]\x08\x02\0\0\0\0\0/],
  [
    'application/vnd.ms-powerpoint',
    '.ppt',
    /^(?:\x10\x8d\x81\x64\x9b\x4f\xcf\x11|\x70\xae\x7b\xea\x3b\xfb\xcd\x11)/,
  ],
  ['application/msword', '.doc', new RegExp(`^[\\x06\\0\\x07]\\x09\\x02${NOTHING}`)],
]

/**
 * Types to test first: they may look like text, or file-type is less precise. PocketBase: mimetype's tree.go
 */
export const SIGNATURES: readonly Signature[] = [
  ['image/gif', '.gif', /^GIF8[79]a/],
  ['image/vnd.mozilla.apng', '.png', /^\x89PNG\r\n\x1a\n.{29}acTL/s],
  ['image/png', '.png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', '.jpg', /^\xff\xd8\xff(?!\xf7)/],
  ['image/tiff', '.tiff', /^(?:II\*\0|MM\0\*)/],
  ['application/pdf', '.pdf', /^.{0,1019}?%PDF-/s],
  ['application/gzip', '.gz', /^\x1f\x8b/],
  [`${OPEN_XML}.wordprocessingml.document`, '.docx', office('word')],
  [`${OPEN_XML}.presentationml.presentation`, '.pptx', office('ppt')],
  [`${OPEN_XML}.spreadsheetml.sheet`, '.xlsx', office('xl')],
  ['audio/mpeg', '.mp3', /^(?:ID3[\x02-\x04]|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/],
]
