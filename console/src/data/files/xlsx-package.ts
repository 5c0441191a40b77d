import { unzipSync } from 'fflate'
import { SaxesParser } from 'saxes'
import { decodeFileText } from '#portable/file-text.ts'

/** A reader of an XML part. Names are without their prefixes; attributes have theirs, such as `r:id`. */
interface XmlHandlers {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void
  readonly close?: (name: string) => void
  readonly text?: (text: string) => void
}

/** Reads an XML part from its begin to its end. Throws an Error if it is malformed. */
export function readXml(part: Uint8Array, { open, close, text }: XmlHandlers): void {
  const parser = new SaxesParser({ xmlns: false, position: false })
  const local = (name: string) => name.slice(name.indexOf(':') + 1)
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => open(local(name), attributes))
  if (close) parser.on('closetag', ({ name }) => close(local(name)))
  if (text) {
    parser.on('text', text)
    parser.on('cdata', text)
  }
  parser.write(decodeFileText(part)).close()
}

/** A part that another one names by an id: its path, and the last word of its type, such as `styles`. */
interface Relationship {
  readonly id: string
  readonly type: string
  readonly path: string
}

/** The parts of a package (ECMA-376-2) by their paths, such as `xl/workbook.xml`. */
export interface Package {
  /** The part at a path; upper and lower case are equal. */
  readonly find: (path: string) => Uint8Array | undefined
  /** The parts that a part names. '' is the package itself. */
  readonly relate: (path: string) => readonly Relationship[]
}

/** Unpacks the XML parts of a zip archive. `onSize` gets their bytes so far, and may throw. */
export function openPackage(bytes: Uint8Array, onSize: (unpacked: number) => void): Package {
  let unpacked = 0
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (!/\.(?:xml|rels)$/i.test(name)) return false
      unpacked += originalSize
      onSize(unpacked)
      return true
    },
  })
  const parts = new Map(Object.entries(files).map(([name, part]) => [normalizePath(name), part]))
  const find = (path: string) => parts.get(normalizePath(path))
  return { find, relate: (path) => readRelationships(find, path) }
}

/** Paths are compared from the root and without case; some programs write backslashes. */
const normalizePath = (path: string) => path.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()

function readRelationships(find: Package['find'], path: string): readonly Relationship[] {
  const [, folder = '', file = ''] = /^(.*\/)?([^/]*)$/.exec(path) ?? []
  const part = find(`${folder}_rels/${file}.rels`)
  const found: Relationship[] = []
  const open = (name: string, { Id: id = '', Type = '', Target = '' }: Record<string, string>) => {
    if (name !== 'Relationship') return
    // a target is relative to the folder of its part, or begins at the root
    const { pathname } = new URL(Target.replaceAll('\\', '/'), `http://package/${folder}`)
    found.push({ id, type: Type.replace(/^.*\//, ''), path: decodeURIComponent(pathname) })
  }
  if (part) readXml(part, { open })
  return found
}
