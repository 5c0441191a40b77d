import { formatNow } from '../fields/parse-date.ts'
import { makeAuthSecret } from './auth-shape.ts'
import type { CatalogDraft } from './catalog.ts'
import type { Collection } from './collection.ts'
import { checkSqliteNames } from './from-sqlite/sqlite-fault.ts'
import { alterTable, createTable } from './table.ts'
import { listConvertedFields } from './table-columns.ts'
import { refreshViews, saveView, withViewsDropped } from './views/save-view.ts'

/** Replaces the secret of auth tokens if the authRule changes. All tokens issued before become invalid. */
function renewAuthSecret(next: Collection, old: Collection): Collection {
  if (next.type !== 'auth' || old.type !== 'auth' || (next.authRule ?? '') === (old.authRule ?? ''))
    return next
  return { ...next, authToken: { ...next.authToken, secret: makeAuthSecret() } }
}

/** For `_superusers`: password sign-in on, OAuth2 off, MFA on if OTP is on. record_model_superusers.go */
function forceSuperuserRules(next: Collection): Collection {
  if (next.type !== 'auth' || next.name !== '_superusers') return next
  return {
    ...next,
    oauth2: { ...next.oauth2, enabled: false, providers: [] },
    passwordAuth: { ...next.passwordAuth, enabled: true },
    mfa: { ...next.mfa, enabled: next.mfa.enabled || next.otp.enabled },
  }
}

async function writeTable(
  draft: CatalogDraft,
  next: Collection,
  old: Collection | undefined,
): Promise<void> {
  if (!old) {
    await createTable(draft.db, next)
    return draft.put(next)
  }
  const alter = async () => {
    await alterTable(draft.db, draft.catalog.builtIn, old, next)
    await draft.put(next)
  }
  return listConvertedFields(old, next).length > 0
    ? withViewsDropped(draft, next.id, alter)
    : alter()
}

/** Writes a collection, its table or view and its indexes, then refreshes other views. Validates nothing. */
export async function saveCollection(draft: CatalogDraft, collection: Collection): Promise<void> {
  const old = draft.catalog.all.find((one) => one.id === collection.id)
  checkSqliteNames(draft, collection, old)
  const time = formatNow()
  const stamped = { ...collection, created: old ? collection.created : time, updated: time }
  const next = forceSuperuserRules(old ? renewAuthSecret(stamped, old) : stamped)
  if (next.type === 'view') await saveView(draft, next, old?.type === 'view' ? old : undefined)
  else await writeTable(draft, next, old)
  await refreshViews(draft, next.id)
}
