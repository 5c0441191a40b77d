import type { Field } from '../../fields/field.ts'
import type { Catalog } from '../catalog.ts'
import { fieldProblems } from '../checks/field-settings.ts'
import { all } from '../checks/problems.ts'
import type { Collection } from '../collection.ts'
import { readNew } from '../definition/read.ts'

/** Why a field of a view's query is invalid; undefined if none is. PocketBase: core/view.go, DryRunView */
export function viewFieldFault(fields: Field[], catalog: Catalog): string | undefined {
  const collection = { ...readNew({ type: 'view', name: 'view' }), fields } as Collection
  for (const [i, field] of fields.entries()) {
    const [found] = Object.entries(
      all(fieldProblems(field, { collection, stored: undefined, catalog })) ?? {},
    )
    if (!found) continue
    const message = String(found[1].message)
    return `invalid field "${field.name}" (${i}): ${found[0]}: ${message[0]!.toLowerCase()}${message.slice(1)}`
  }
}
