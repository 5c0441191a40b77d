import {
  ApiError,
  badRequest,
  type ErrorData,
  type FieldError,
  findPlainMessage,
  makeFieldError,
} from '../../platform/api-errors.ts'
import { isObject } from '../../platform/tools/json.ts'
import { InvalidCollection } from './catalog.ts'
import type { Collections } from './catalog-store.ts'
import { ImportFault, importCollections, validateImported } from './import-collections.ts'
import type { RuleCheck } from './validate.ts'

const IMPORT_FAILED = 'Failed to import collections.'
const CODE = 'validation_collections_import_failure'

const makeImportError = (reason: string) =>
  badRequest(IMPORT_FAILED, { collections: makeFieldError(CODE, reason) })

/** Errors as Go prints them: messages by key, keys sorted. */
function renderMessages(data: ErrorData | FieldError): unknown {
  if (typeof data.code === 'string') return findPlainMessage(data as FieldError)
  const entries = Object.entries(data as ErrorData).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, error]) => [key, renderMessages(error)]))
}

function makeInvalidError({ collection: { name, id }, data }: InvalidCollection): ApiError {
  const list = JSON.stringify(renderMessages(data), null, 2)
  return makeImportError(`Data validations failed for collection "${name}" (${id}):\n${list}`)
}

function readImportForm(collections: unknown): Record<string, unknown>[] {
  const isList =
    collections == null ||
    (Array.isArray(collections) && collections.every((c) => c === null || isObject(c)))
  if (!isList) throw badRequest('An error occurred while loading the submitted data.')
  if (!collections || collections.length === 0) {
    const blank = makeFieldError('validation_required', 'cannot be blank')
    throw badRequest('An error occurred while validating the submitted data.', {
      collections: blank,
    })
  }
  return collections.map((one) => one ?? {})
}

/** Imports all collections or none, then validates. Throws 400. PocketBase: apis/collection_import.go */
export async function importAllOrNone(
  store: Collections,
  form: { readonly collections: unknown; readonly deleteMissing: boolean },
  checkRule: RuleCheck,
): Promise<void> {
  const raws = readImportForm(form.collections)
  try {
    await store.change(async (draft) => {
      const imported = await importCollections(draft, raws, form.deleteMissing ? 'delete' : 'keep')
      await validateImported(draft, imported, checkRule).catch((error: unknown) => {
        throw error instanceof InvalidCollection ? makeInvalidError(error) : error
      })
    })
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (error instanceof InvalidCollection) throw badRequest(IMPORT_FAILED, error.data)
    if (!(error instanceof ImportFault)) throw error
    throw makeImportError(
      `Failed to import the collections configuration. Raw error:\n${error.reason}`,
    )
  }
}
