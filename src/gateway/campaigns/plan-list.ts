import type { Store } from '../../engine/collections/catalog.ts'
import { makeUserHolder } from '../../engine/collections/collection.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { readPhone } from '../../portable/phone/read-phone.ts'
import type { Permit } from '../base/permissions.ts'
import { loadAccountCountry } from '../base/read-numbers.ts'
import { requiresConsent } from '../messages/send/consent-scope.ts'
import { allowsShortCodes } from '../messages/send/load-all-recipients.ts'
import { makeFileAdder } from '../messages/send/preview-send.ts'
import { findRefused } from '../messages/send/refused-recipients.ts'
import { requireReach } from '../messages/send/sending-permission.ts'
import type { CampaignServices, CampaignText } from './campaign.ts'
import type { GivenRow } from './list-body.ts'
import { LIST_REASONS, writeSameTextReason } from './list-reasons.ts'
import { writeRowTexts } from './list-texts.ts'
import { measureText, type PlannedWay, TEXTS_AT_ONCE, type TextSize } from './planned-text.ts'

const FAULTS: Readonly<Record<string, string>> = {
  empty: LIST_REASONS.noNumber,
  'no-country': LIST_REASONS.noCountry,
}

/** Reads the numbers of rows, those without a calling code by `country` or by the account's country. */
export async function readRowNumbers(
  store: Store,
  user: string,
  rows: readonly GivenRow[],
  country: string,
): Promise<GivenRow[]> {
  const takesShortCodes = await allowsShortCodes(store, user)
  return admission.slices.map(rows, (row) => {
    if (row.reason !== '') return row
    const { phone, fault } = readPhone(row.to, country)
    if (phone) return { ...row, to: phone }
    if (takesShortCodes && fault!.problem === 'short-code') return { ...row, to: row.to.trim() }
    return { ...row, reason: FAULTS[fault!.problem] ?? LIST_REASONS.notANumber }
  })
}

export const loadListCountry = async (store: Store, user: string, given: string) =>
  given || (await loadAccountCountry(store, user))

/** `size`: that of its text; undefined for a row that is left out. */
export type PlannedRow<Row = GivenRow> = Row & { readonly size?: TextSize }

/**
 * Writes the texts of rows, and finds those left out: people who get no text, gaps, and texts that an earlier
 * row has to the same number. Throws 400 if no row is left, 403 if the sender may not send to one.
 * `hidesPeople`: as in `writeRowTexts`; then nobody counts as refused either.
 */
export async function planRows<Row extends GivenRow>(
  services: CampaignServices,
  permit: Permit,
  text: CampaignText,
  given: readonly Row[],
  way: PlannedWay,
  hidesPeople = false,
) {
  const { store, config } = services
  const { user } = permit.sender
  const scope = { template: text.template, groups: [], isRequired: way.requiresConsent }
  const isRequired = await requiresConsent(store.db, user, scope)
  const phones = new Set(given.flatMap(({ to, reason }) => (reason === '' ? [to] : [])))
  const refused = hidesPeople
    ? new Map<string, string>()
    : await findRefused(store, user, [...phones], scope)
  const addFiles = await makeFileAdder(store.db, config, user, way, {
    deviceId: way.device ?? '',
    line: { id: way.line ?? '', number: '' },
  })
  const isRepeated = findRepeated(given)
  const rows: PlannedRow<Row>[] = []
  const seen = new Map<string, number>()
  for (let at = 0; at < given.length; at += TEXTS_AT_ONCE) {
    const chunk = given
      .slice(at, at + TEXTS_AT_ONCE)
      .map((row) => ({ ...row, reason: row.reason || (refused.get(row.to) ?? '') }))
    const open = chunk.filter(({ reason }) => reason === '')
    const write = () => writeRowTexts(store, config, user, text, open, hidesPeople)
    const written = (await admission.heavyWork.run(makeUserHolder(user), write)).values()
    for (const row of chunk) {
      const found = row.reason === '' ? written.next().value! : { reason: row.reason }
      if (!found.text) {
        rows.push({ ...row, reason: found.reason })
        continue
      }
      const same = isRepeated(row.to) ? `${row.to} ${found.text.body}` : ''
      const before = seen.get(same)
      if (same !== '' && before === undefined) seen.set(same, row.line)
      rows.push(
        before === undefined
          ? { ...row, size: measureText(addFiles(found.text)) }
          : { ...row, reason: writeSameTextReason(before) },
      )
    }
  }
  const sizes = rows.flatMap(({ size }) => size ?? [])
  if (sizes.length === 0) throw makeNobodyError(rows)
  await requireReach(store.db, permit, [...new Set(sizes.map(({ to }) => to))], way)
  return { rows, sizes, addFiles, requiresConsent: isRequired }
}

/** Returns whether a number is in several rows. */
function findRepeated(rows: readonly GivenRow[]): (phone: string) => boolean {
  const counts = new Map<string, number>()
  for (const { to } of rows) counts.set(to, (counts.get(to) ?? 0) + 1)
  return (phone) => counts.get(phone)! > 1
}

function makeNobodyError([first]: readonly PlannedRow[]) {
  const { line, reason } = first!
  return invalidRequest(`list has no row that gets a text. Line ${line}: ${reason}`)
}
