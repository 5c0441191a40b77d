import { isSelectField, SELECT_VALUES } from '../../../portable/select-values.ts'
import definitions from './builtin.json' with { type: 'json' }

/** The built-in collections as JSON. Select fields whose values code lists get them here. */
export const BUILT_IN_DEFINITIONS = definitions.map((collection) => ({
  ...collection,
  fields: collection.fields.map((field) => {
    const name = `${collection.name}.${field.name}`
    return isSelectField(name) ? { ...field, values: [...SELECT_VALUES[name]] } : field
  }),
}))
