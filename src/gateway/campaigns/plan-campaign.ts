import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { makeUserHolder } from '../../engine/collections/collection.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { queries } from '../../platform/db/queries.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { countSegments } from '../../portable/segments.ts'
import type { Missing } from '../../portable/text-template.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { REASONS } from '../base/message-status.ts'
import type { Permit } from '../base/permissions.ts'
import { loadUsage } from '../base/quota-usage.ts'
import { requiresConsent } from '../messages/send/consent-scope.ts'
import { refuseMissingVariable } from '../messages/send/missing-variables.ts'
import { checkDevice } from '../messages/send/prepare-offer.ts'
import { makeFileAdder } from '../messages/send/preview-send.ts'
import { makeSubjectError } from '../messages/send/read-send.ts'
import { findRefused } from '../messages/send/refused-recipients.ts'
import type { Content } from '../messages/send/send-options.ts'
import { requireReach } from '../messages/send/sending-permission.ts'
import { loadTemplate, type Text, writeTexts } from '../messages/send/write-text-bodies.ts'
import type { CampaignServices, CampaignText } from './campaign.ts'
import type { NewCampaign } from './campaign-body.ts'
import { checkAgentRows } from './campaign-permission.ts'
import type { GivenList } from './list-body.ts'
import { nameRows } from './list-rows.ts'
import { type Audience, loadAudience } from './load-audience.ts'
import { loadListCountry, planRows, readRowNumbers } from './plan-list.ts'
import {
  measureText,
  type PlannedWay,
  sumSegments,
  TEXTS_AT_ONCE,
  type TextSize,
} from './planned-text.ts'

/** The text of a request, or the current text of its template. Throws 400 for an unknown template. */
export async function loadCampaignText(store: Store, user: string, text: Content) {
  if ('body' in text) return { body: text.body, variables: text.variables ?? null, template: '' }
  const body = await loadTemplate(store, user, text.templateId)
  return { body, variables: text.variables, template: text.templateId }
}

interface PlannedAudience {
  readonly audience: readonly string[]
  readonly segments: number
  /** The size of each recipient's text. */
  readonly sizes: readonly TextSize[]
  readonly addFiles: (text: Text) => Text
  /** Variables without a default that are empty for one recipient at least. */
  readonly missing: readonly string[]
  readonly requiresConsent: boolean
  /** Recipients who were left out because they had not given the required consent. */
  readonly withoutConsent: readonly string[]
}

/**
 * Finds a campaign's recipients, without those who have opted out or have not given the consent that the
 * campaign, its template or a group requires, and counts the segments of all their texts. Throws 400 if no
 * recipient is left, 403 if the account may not send to one. `rest`: only these of its people.
 */
export async function planAudience(
  services: CampaignServices,
  permit: Permit,
  text: CampaignText,
  people: Audience,
  way: PlannedWay,
  rest?: readonly string[],
): Promise<PlannedAudience> {
  const { store } = services
  const { user } = permit.sender
  const all = rest ?? (await loadAudience(store, user, people))
  // a group of a repeating campaign can be deleted
  if (all.length === 0) throw invalidRequest('The audience has nobody to send to')
  const scope = {
    template: text.template,
    groups: people.groupIds,
    isRequired: way.requiresConsent,
  }
  const isRequired = await requiresConsent(store.db, user, scope)
  const refused = await findRefused(store, user, all, scope)
  const audience = all.filter((phone) => !refused.has(phone))
  const withoutConsent = all.filter((phone) => refused.get(phone) === REASONS.noConsent)
  if (audience.length + withoutConsent.length === 0)
    throw invalidRequest('recipients have all opted out')
  if (audience.length === 0)
    throw invalidRequest('recipients have given no consent, which this campaign requires')
  await requireReach(store.db, permit, audience, way)
  const missing = new Set<string>()
  const addFiles = await makeFileAdder(store.db, services.config, user, way, {
    deviceId: way.device ?? '',
    line: { id: way.line ?? '', number: '' },
  })
  const sizes = await countEachText(services, user, text, audience, missing, addFiles)
  return {
    audience,
    segments: sumSegments(sizes),
    sizes,
    addFiles,
    missing: [...missing],
    requiresConsent: isRequired,
    withoutConsent,
  }
}

async function countEachText(
  { store, config }: CampaignServices,
  user: string,
  text: CampaignText,
  phones: readonly string[],
  missing: Set<string>,
  addFiles: (text: Text) => Text,
) {
  const plain = { to: '', body: text.body, ...countSegments(text.body) }
  const all = measureText(addFiles(plain))
  if (!text.variables) return phones.map((to) => ({ ...all, to }))
  const sizes: TextSize[] = []
  const note: Missing = (name, empty) => {
    missing.add(name)
    return refuseMissingVariable(name, empty)
  }
  for (let at = 0; at < phones.length; at += TEXTS_AT_ONCE) {
    const write = () =>
      writeTexts(store, config, user, text, phones.slice(at, at + TEXTS_AT_ONCE), note)
    for (const one of await admission.heavyWork.run(makeUserHolder(user), write))
      sizes.push(measureText(addFiles(one)))
  }
  return sizes
}

/** Throws 402 `quota_exceeded` if this number of messages exceeds the rest of the month's quota. */
export async function checkQuota(
  { store, config }: CampaignServices,
  user: string,
  messages: number,
) {
  const { remaining } = await loadUsage(store, user, config, new Date())
  if (remaining !== null && remaining < messages) throw gatewayRefusal('quota_exceeded')
}

/** The id of the line (SIM) that a campaign names, '' for any. Throws 404 if none fits, 409 if several do. */
export async function findNamedLine(
  store: Store,
  user: string,
  { options: { device, sim }, line: { id, number } }: NewCampaign,
): Promise<string> {
  if (device !== '') await checkDevice(store, user, device)
  if (id === '' && number === '') return ''
  const named = sql<{ line: string }>`sms_named_lines(
    ${user}, ${id || null}, ${number || null}, ${device || null}, ${sim})`
  const [found, another] = await queries(store.db)
    .selectFrom(named.as('named'))
    .select('line')
    .limit(2)
    .execute()
  if (!found) throw gatewayRefusal('line_not_found')
  if (another) throw gatewayRefusal('line_ambiguous')
  return found.line
}

/**
 * The line, text and recipients of a new campaign. `hidesPeople`: as in `planRows`. Throws 400, 403, 404, 409
 * as a send does.
 */
export async function planCampaign(
  services: CampaignServices,
  permit: Permit,
  wanted: NewCampaign,
  hidesPeople = false,
) {
  const { store } = services
  const { user } = permit.sender
  if (wanted.subject !== '' && wanted.options.files === 0) throw makeSubjectError()
  const line = await findNamedLine(store, user, wanted)
  const text = await loadCampaignText(store, user, wanted.text)
  const way = { ...wanted.options, line }
  const { list } = wanted
  if (list)
    return {
      line,
      ...(await planList(services, permit, text, { ...wanted, list, hidesPeople }, way)),
    }
  const planned = await planAudience(services, permit, text, wanted.audience, way)
  return { line, text, rows: [], columns: [], ...planned }
}

/** Plans a list as `planAudience` plans people; `audience`: the ids of the rows that get a text. */
async function planList(
  services: CampaignServices,
  permit: Permit,
  { variables, ...plain }: CampaignText,
  wanted: Pick<NewCampaign, 'country'> & {
    readonly list: GivenList
    readonly hidesPeople: boolean
  },
  way: PlannedWay,
) {
  const { store } = services
  const { user } = permit.sender
  // the text of a list has variables
  const text = { ...plain, variables: variables ?? {} }
  const country = await loadListCountry(store, user, wanted.country)
  const given = await wanted.list(country)
  await checkAgentRows(store.db, permit.sender, given.rows.length)
  const numbered = await readRowNumbers(store, user, given.rows, country)
  const { rows, ...planned } = await planRows(
    services,
    permit,
    text,
    numbered,
    way,
    wanted.hidesPeople,
  )
  const segments = sumSegments(planned.sizes)
  const { columns } = given
  return { text, ...nameRows(rows), columns, segments, missing: [], withoutConsent: [], ...planned }
}
