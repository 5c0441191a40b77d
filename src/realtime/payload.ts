import type { Store } from '../collections/catalog.ts'
import type { RequestInfo } from '../filter/request.ts'
import { expandRecords } from '../records/expand.ts'
import { readExpand } from '../records/expand-paths.ts'
import { pickFields } from '../records/pick.ts'
import { type Shown, shownText } from '../records/shown.ts'
import type { Change } from './change.ts'
import { expandKey } from './expand-key.ts'
import type { Standing } from './seats.ts'

/** What is said of one change: written once for all who see the same of it. */
export class Payloads {
  readonly #store: Store
  readonly #change: Change
  readonly #texts = new Map<string, Promise<string>>()

  constructor(store: Store, change: Change) {
    this.#store = store
    this.#change = change
  }

  /** `{"record":…,"action":…}` for a seat, by its `expand` and `fields`. */
  text({ seat, request }: Standing, email: boolean): Promise<string> {
    const { fields = '', expand = '' } = request.query
    const hidden = request.auth?.isSuperuser ?? false
    const { collection } = this.#change
    const expanded =
      expand && expandKey(this.#store.catalog, collection, readExpand(expand), request, seat.viewer.key)
    const key = JSON.stringify([hidden, email, fields, expand, expanded])
    const known = this.#texts.get(key) ?? this.#write(request, hidden, email)
    this.#texts.set(key, known)
    return known
  }

  async #write(request: RequestInfo, hidden: boolean, email: boolean): Promise<string> {
    const { collection, row, action } = this.#change
    const shown: Shown = { collection, row, sight: { hidden, email } }
    const { fields, expand } = request.query
    if (expand) await expandRecords(this.#store, [shown], readExpand(expand), request)
    const whole = shownText(shown)
    const record = fields ? pickFields(whole, fields) || whole : whole
    return `{"record":${record},"action":"${action}"}`
  }
}
