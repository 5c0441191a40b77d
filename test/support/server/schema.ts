// Collections as `/api/collections` takes them.

/** The id of the users. */
export const USERS = '_pb_users_auth_'
/** Rules: anybody may do anything. */
export const OPEN = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' }
export const text = (name: string, options: object = {}) => ({ name, type: 'text', ...options })
/** To one record unless `options` say otherwise. */
export const relation = (name: string, collectionId: string, options: object = {}) => ({
  name,
  type: 'relation',
  collectionId,
  maxSelect: 1,
  ...options,
})
/** A collection whose id is its name, open to anybody unless `more` says otherwise. */
export const base = (id: string, fields: object[], more: object = {}) => ({
  id,
  name: id,
  type: 'base',
  ...OPEN,
  fields,
  ...more,
})
