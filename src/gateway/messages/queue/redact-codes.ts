import { sql } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import { matchAny, queries } from '../../../platform/db/queries.ts'
import { admission } from '../../../platform/limits/shared-limits.ts'
import { maskSecrets } from '../../../platform/tools/mask-secrets.ts'
import { openText, SEALED } from '../send/sealed-texts.ts'

/** Texts that are stored encrypted. `sealed` is null once the text was sent. */
const findHiddenCodes = (db: Db, ids: readonly string[]) =>
  queries(db)
    .selectFrom('sms_messages as m')
    .leftJoin('sms_dispatch as d', 'd.message', 'm.id')
    .select(['m.id', 'm.user', 'm.body as shown', 'd.sealed'])
    .where('m.id', '=', matchAny(ids))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('d.sealed', 'is not', null),
        exists(
          selectFrom('sms_origins as o')
            .where(sql<boolean>`o.ref in (m.id, m.batch_id)`)
            .where('o.api', '=', SEALED.api),
        ),
      ]),
    )
    .execute()

interface DeviceWords {
  readonly id: string
  readonly error_message?: string | undefined
}

/**
 * Reports without the codes of texts that are stored encrypted: a driver may quote a text in its error. Of a
 * text that was sent before, the code is no longer known, so the device's words are dropped.
 */
export async function redactCodes<R extends DeviceWords>(
  db: Db,
  reports: readonly R[],
): Promise<readonly R[]> {
  const ids = reports.filter(({ error_message }) => error_message).map(({ id }) => id)
  if (ids.length === 0) return reports
  const secrets = new Map<string, readonly string[] | undefined>()
  for (const { id, user, shown, sealed } of await findHiddenCodes(db, ids)) {
    const text = sealed === null ? undefined : await openText(db, user, sealed)
    secrets.set(id, text === undefined ? undefined : [text, ...listHiddenParts(text, shown)])
  }
  const withoutSecrets = (report: R): R => {
    if (!secrets.has(report.id)) return report
    const known = secrets.get(report.id)
    return { ...report, error_message: known && maskSecrets(report.error_message ?? '', known) }
  }
  // a text of many codes takes up to 5 ms
  return admission.slices.map(reports, withoutSecrets, 1)
}

/** The parts of a text in whose place the shown text has dots, and all words that it lacks. */
function listHiddenParts(text: string, shown: string): string[] {
  const dotted = text.length === shown.length ? [...shown.matchAll(/•+/g)] : []
  const parts = dotted.map(({ 0: dots, index }) => text.slice(index, index + dots.length))
  const words = text.match(/[\p{L}\p{N}]{3,}/gu) ?? []
  return [...parts, ...words.filter((word) => !shown.includes(word))]
}
