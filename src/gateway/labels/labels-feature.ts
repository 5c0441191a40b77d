import { type Extension, makeStrictExtension } from '../../engine/records/collection-extension.ts'
import type { Feature } from '../base/feature.ts'
import { makeRecordStep, type PersonalData } from '../base/personal-data.ts'
import { requireRoomFor } from '../base/require-room.ts'

/** Rules of labels: an account has at most 100, and one without a color is gray. */
const labelsExtension: Extension = {
  async beforeCreate(store, values) {
    values.color ||= 'gray'
    await requireRoomFor(store.db, 'labels', String(values.user))
    return undefined
  },
}

const LABEL_DATA: PersonalData = {
  mentions: [makeRecordStep('labels', ['name'], 'name')],
  noPlaces: { labels: 'words that the account gave to many conversations' },
}

/** Labels of conversations and contacts. Triggers give the contact of a number its conversation's labels. */
export const LABELS: Feature = {
  personalData: LABEL_DATA,
  extensions: () => ({ labels: makeStrictExtension(labelsExtension) }),
}
