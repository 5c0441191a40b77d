import type { Store } from '../../collections/catalog.ts'
import { isSqlError } from '../../db/errors.ts'
import { expandRecords } from '../../records/expand/expand.ts'
import { type ExpandTree, readExpand } from '../../records/expand/expand-paths.ts'
import { pickFields } from '../../records/render/pick.ts'
import { type RenderedRecord, renderedText } from '../../records/render/rendered-record.ts'
import { AnswerTooLarge } from '../../request/answer-meter.ts'
import { changeRequest } from '../../request/late-request.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { Change } from '../changes/change.ts'
import type { Owner } from '../clients/owner.ts'
import type { GroupState } from '../clients/subscription-groups.ts'
import { expandKey } from './expand-key.ts'
import { eventMeter, isSmall } from './expand-size.ts'
import type { Limiter } from './limiter.ts'

/** Relations that an event may follow. */
const MAX_STEPS = 12
/** Characters of texts that are kept for those who see the same; further ones are written anew. */
const MAX_KEPT = 4 << 20

/** What is said of one change: written once for all who see the same of it. */
export class Payloads {
  readonly #store: Store
  readonly #limiter: Limiter
  readonly #change: Change
  readonly #texts = new Map<string, Promise<string>>()
  #kept = 0

  constructor(store: Store, limiter: Limiter, change: Change) {
    this.#store = store
    this.#limiter = limiter
    this.#change = change
  }

  /** `{"record":…,"action":…}` for a seat, by its `expand` and `fields`. `owner` pays for the expand. */
  async text({ request }: GroupState, email: boolean, owner?: Owner): Promise<string> {
    const { fields = '', expand = '' } = request.query
    const hidden = request.auth?.isSuperuser ?? false
    const tree = expand && owner ? readExpand(expand) : undefined
    const expanded = tree && expandKey(this.#store.catalog, this.#change.collection, tree, request)
    const key = JSON.stringify([hidden, email, fields, tree && expand, expanded])
    const known = this.#texts.get(key)
    if (known) return known
    const text = this.#write(request, { showsHidden: hidden, showsEmail: email }, tree, owner)
    this.#texts.set(key, text)
    this.#kept += (await text).length
    if (this.#kept > MAX_KEPT) this.#texts.delete(key)
    return text
  }

  async #write(
    request: RequestInfo,
    visibility: RenderedRecord['visibility'],
    tree: ExpandTree | undefined,
    owner: Owner | undefined,
  ): Promise<string> {
    const { collection, row, action } = this.#change
    const rendered: RenderedRecord = { collection, row, visibility }
    if (tree && owner && stepsIn(tree) <= MAX_STEPS) await this.#expand(owner, rendered, tree, request)
    const whole = renderedText(rendered)
    const { fields } = request.query
    const record = fields ? pickFields(whole, fields) || whole : whole
    return `{"record":${record},"action":"${action}"}`
  }

  /** What is too much, or takes too long, is left out whole. */
  async #expand(
    owner: Owner,
    rendered: RenderedRecord,
    tree: ExpandTree,
    request: RequestInfo,
  ): Promise<void> {
    const isWhole = await this.#limiter.run(owner, (store) => expandWhole(store, rendered, tree, request))
    if (!isWhole || !isSmall(rendered)) delete rendered.expand
  }
}

/**
 * Expands a record inside a transaction. False if that is too much, or if a statement failed: all later ones
 * have then failed as well.
 */
async function expandWhole(
  store: Store,
  rendered: RenderedRecord,
  tree: ExpandTree,
  request: RequestInfo,
): Promise<boolean> {
  try {
    await expandRecords(store, [rendered], tree, changeRequest(request, { meter: eventMeter() }))
    await store.db.query('select 1')
    return true
  } catch (error) {
    if (error instanceof AnswerTooLarge || isSqlError(error)) return false
    throw error
  }
}

const stepsIn = (tree: ExpandTree): number =>
  [...tree.values()].reduce((sum, rest) => sum + 1 + stepsIn(rest), 0)
