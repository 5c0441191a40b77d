// Shared by the definition files: schema shorthand and a deterministic generator.
export function rng(seed) {
  let s = seed >>> 0
  return () => {
    s = (s + 0x6d2b79f5) >>> 0
    let t = s
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
const AL = 'abcdefghijklmnopqrstuvwxyz0123456789'
export function ids(seed) {
  const r = rng(seed)
  return (prefix) => {
    let s = prefix
    while (s.length < 15) s += AL[Math.floor(r() * 36)]
    return s
  }
}
export const pick = (r, a) => a[Math.floor(r() * a.length)]
export const iso = (ms) => new Date(ms).toISOString().replace('T', ' ')

export const ID = {
  name: 'id',
  type: 'text',
  system: true,
  primaryKey: true,
  required: true,
  min: 15,
  max: 15,
  pattern: '^[a-z0-9]+$',
  autogeneratePattern: '[a-z0-9]{15}',
}
export const CREATED = { name: 'created', type: 'autodate', onCreate: true, onUpdate: false }
export const UPDATED = { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true }
export const F =
  (type) =>
  (name, o = {}) => ({ name, type, ...o })
export const text = F('text')
export const number = F('number')
export const bool = F('bool')
export const email = F('email')
export const url = F('url')
export const date = F('date')
export const autodate = F('autodate')
export const select = F('select')
export const json = F('json')
export const editor = F('editor')
export const geo = F('geoPoint')
export const file = F('file')
export const rel = (name, collectionId, o = {}) => ({
  name,
  type: 'relation',
  collectionId,
  maxSelect: 1,
  cascadeDelete: false,
  ...o,
})
export function base(name, fields, rules = {}, indexes = []) {
  return {
    id: name,
    name,
    type: 'base',
    listRule: null,
    viewRule: null,
    createRule: null,
    updateRule: null,
    deleteRule: null,
    ...rules,
    fields: [ID, ...fields, CREATED, UPDATED],
    indexes,
  }
}
export const OPEN = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' }
export const AUTHED = {
  listRule: '@request.auth.id != ""',
  viewRule: '@request.auth.id != ""',
  createRule: '@request.auth.id != ""',
  updateRule: '@request.auth.id != ""',
  deleteRule: '@request.auth.id != ""',
}
