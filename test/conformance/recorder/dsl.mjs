// Small vocabulary for case definitions. A definition is a case without its `expect`.
export const qs = (o) => {
  if (!o) return ''
  if (typeof o === 'string') return `?${o}`
  const e = Object.entries(o)
  return e.length ? `?${e.map(([k, v]) => `${k}=${encodeURIComponent(v)}`).join('&')}` : ''
}
export const recs = (c, id, p) =>
  `/api/collections/${c}/records${id !== undefined && id !== null ? `/${id}` : ''}${qs(p)}`
const step =
  (method) =>
  (as, path, body, o = {}) => ({ as, method, path, ...(body !== undefined ? { body } : {}), ...o })
export const GET = (as, path, o = {}) => ({ as, method: 'GET', path, ...o })
export const POST = step('POST')
export const PATCH = step('PATCH')
export const PUT = step('PUT')
export const DEL = (as, path, o = {}) => ({ as, method: 'DELETE', path, ...o })
export const REQ = (as, method, path, o = {}) => ({ as, method, path, ...o })

export class Book {
  constructor() {
    this.areas = {}
  }
  area(name) {
    this.areas[name] ??= []
    const list = this.areas[name]
    const push = (c, why, o = {}) => {
      list.push({ ...c, ...o, why })
    }
    return {
      one: (st, why, o) => push(st, why, o),
      flow: (why, steps, o) => push({ steps }, why, o),
      // list of a collection
      list: (as, col, params, why, o) => push(GET(as, recs(col, null, params)), why, o),
      view: (as, col, id, params, why, o) => push(GET(as, recs(col, id, params)), why, o),
      // created, checked and removed again; the record id is fixed so that clean-up always works
      create: (as, col, body, why, o = {}) => {
        const st = POST(as, recs(col, null, o.params), body, { ...(o.step || {}) })
        if (body && typeof body === 'object' && body.id)
          push({ steps: [st], cleanup: [DEL('super', recs(col, body.id))] }, why, { tags: o.tags })
        else
          push(
            { steps: [{ ...st, save: { rid: '/body/id' } }], cleanup: [DEL('super', recs(col, '${rid}'))] },
            why,
            { tags: o.tags },
          )
      },
      // a create that must be refused
      bad: (as, col, body, why, o = {}) =>
        push(POST(as, recs(col, null, o.params), body, o.step || {}), why, { tags: o.tags }),
      // on a fresh record: superuser creates it, `steps` act on it, superuser removes it
      on: (col, record, why, steps, o = {}) =>
        push(
          {
            steps: [POST('super', recs(col), record), ...steps],
            cleanup: [DEL('super', recs(col, record.id)), ...(o.cleanup || [])],
          },
          why,
          { tags: o.tags },
        ),
    }
  }
}
