import { type Extension, makeStrictExtension } from '../../engine/records/collection-extension.ts'
import type { Feature } from '../base/feature.ts'
import { makeRecordStep, type PersonalData } from '../base/personal-data.ts'
import { requireRoomFor } from '../base/require-room.ts'
import { viewsExtension } from './views-extension.ts'

/** Rules of labels: an account has at most 100, and one without a color is gray. */
const labelsExtension: Extension = {
  async beforeCreate(store, values) {
    values.color ||= 'gray'
    await requireRoomFor(store.db, 'labels', String(values.user))
    return undefined
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
