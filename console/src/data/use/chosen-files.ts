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
