import names from './pocketbase-names.json' with { type: 'json' }

/** A type in PocketBase's naming, and its file extension. */
export type NamedType = readonly [type: string, extension: string]

/**
 * `renamed`: types that file-type names differently from PocketBase's MIME library. `aliases` of types, which
 * a field may list. PocketBase: mimetype's tree.go
 */
const { renamed, aliases } = names as {
  readonly renamed: Readonly<Record<string, readonly string[]>>
  readonly aliases: Readonly<Record<string, readonly string[]>>
}

/** PocketBase's name of a result of file-type. */
export const pocketbaseName = ({ mime, ext }: { readonly mime: string; readonly ext: string }): NamedType =>
  (renamed[mime] as NamedType | undefined) ?? [mime, `.${ext}`]

const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.'

/** All PocketBase names of a type. */
export function namesOf(type: string): string[] {
  if (type.startsWith(OPEN_DOCUMENT)) return [type, type.replace('application/', 'application/x-')]
  return [type, ...(aliases[type] ?? [])]
}
