import { z } from 'zod'
import type { Value } from '../../engine/fields/field.ts'
import { type Extension, makeStrictExtension } from '../../engine/records/collection-extension.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { parseJson } from '../../platform/tools/json.ts'
import { VIEW_ID } from '../../portable/inbox-views.ts'
import type { Feature } from '../base/feature.ts'
import { makeRecordStep, type PersonalData } from '../base/personal-data.ts'
import { requireFreeName } from '../base/require-free-name.ts'
import { requireRoomFor } from '../base/require-room.ts'

/** The labels of a view. They may have been deleted since: the view then says so. */
const LABEL_IDS = z.array(z.string().regex(VIEW_ID)).max(20)

const NO_IDS = makeFieldError('validation_invalid_labels', 'Must be a list of at most 20 ids.')

/** Rules of saved views. The author is the caller; only authors and admins change a view. */
const viewsExtension: Extension = {
  setByServer: ['author'],
  writeRule: (auth) =>
    auth?.actor && auth.actor.role !== 'admin' ? `author = "${auth.actor.id}"` : '',
  check: checkLabels,
  async beforeCreate(store, values, { auth }) {
    if (auth && !auth.isSuperuser) values.author = auth.sender
    trimName(values)
    values.state ||= 'open'
    values.sort ||= 'newest'
    values.labels ??= '[]'
    checkLabels(values)
    await requireRoomFor(store.db, 'inbox_views', String(values.user))
    return undefined
  },
  async beforeUpdate(_store, values) {
    trimName(values)
    checkLabels(values)
  },
}

/** A name of blanks is empty then, which the field refuses, and equal names look different. */
function trimName(values: Record<string, Value>): void {
  values.name = String(values.name ?? '').trim()
}

function checkLabels({ labels }: Readonly<Record<string, unknown>>): void {
  if (!LABEL_IDS.safeParse(parseJson(String(labels ?? '[]')) ?? []).success)
    throw invalidFields({ labels: NO_IDS })
}

/** Rules of labels: an account has at most 100, and one without a color is gray. */
const labelsExtension: Extension = {
  async beforeCreate(store, values) {
    values.color ||= 'gray'
    trimName(values)
    await requireRoomFor(store.db, 'labels', String(values.user))
    await requireFreeName(store.db, 'labels', values)
    return undefined
  },
  async beforeUpdate(store, values, old) {
    trimName(values)
    await requireFreeName(store.db, 'labels', values, old)
  },
}

const LABEL_DATA: PersonalData = {
  mentions: [makeRecordStep('labels', ['name'], 'name'), makeRecordStep('inbox_views', ['name'])],
  noPlaces: {
    labels: 'words that the account gave to many conversations',
    inbox_views: 'filters of members',
  },
}

/** Labels of numbers, and saved views. Triggers copy labels between contacts and conversations. */
export const LABELS: Feature = {
  personalData: LABEL_DATA,
  extensions: () => ({
    labels: makeStrictExtension(labelsExtension),
    inbox_views: makeStrictExtension(viewsExtension),
  }),
}
