import type { RecordModel } from 'pocketbase'
import { t } from '../../language/words.ts'

/** A file that the server has stored with a record. */
export interface StoredFile {
  readonly record: RecordModel
  readonly name: string
}

/** A file of a form: one of the person's device, or one that the server has. */
export type ChosenFile = File | StoredFile

export const isStored = (file: ChosenFile): file is StoredFile => 'record' in file

/** Files of a record, to be sent again. */
export const listFiles = (record: RecordModel, names: readonly string[]): StoredFile[] =>
  names.map((name) => ({ record, name }))

/** Why nothing is sent while files that were chosen are lost. */
export const CHOOSE_AGAIN = t('Choose the files again, or leave them out.')

/** The files that were chosen in forms, by the name of the draft: storage of the browser is too small. */
export const chosenFiles = new Map<string, readonly ChosenFile[]>()

type Request = Readonly<Record<string, unknown>>

/** A request with files: the SDK then sends a form. A text of files alone has no words. */
export const addFiles = (request: Request, files: readonly ChosenFile[]): Request =>
  addAttachments(request, files, files.map(nameStored))

/** The same for a preview, which counts files and needs no contents. */
export const addFileNames = (request: Request, files: readonly ChosenFile[]): Request =>
  addAttachments(
    request,
    files,
    files.map(({ name }) => `file/${name}`),
  )

function addAttachments(
  request: Request,
  files: readonly ChosenFile[],
  attachments: readonly (File | string)[],
): Request {
  if (files.length === 0) return request
  const { body, ...rest } = request
  // files of saved replies and copied campaigns may be there although no line sends MMS
  const orLink = files.some(isStored) && { mms: 'or_link' }
  return { ...rest, ...(body !== '' && { body }), ...orLink, attachments }
}

/** A file as a request names it if the server has it. */
export const nameStored = (file: ChosenFile): File | string =>
  isStored(file) ? `${file.record.id}/${file.name}` : file

/** Identifies files in a request's key: a `File` has no JSON. */
export const describeFiles = (files: readonly ChosenFile[]) =>
  files.map((file) =>
    isStored(file) ? [file.record.id, file.name] : [file.name, file.size, file.lastModified],
  )
