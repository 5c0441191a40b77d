import type { Tables } from '../../platform/db/tables.ts'
import type { PersonalData, Place } from '../base/personal-data.ts'

/** The sum over all features. */
export type AllPersonalData = Required<Pick<PersonalData, 'places' | 'mentions'>>

/** Services of exports and erasures, beside the store. */
export interface HasPersonalData {
  readonly personalData: AllPersonalData
}

export const sumPersonalData = (all: readonly PersonalData[]): AllPersonalData => ({
  places: sortPlaces(all.flatMap(({ places = [] }) => places)),
  mentions: all.flatMap(({ mentions = [] }) => mentions),
})

/**
 * The order in which an erasure empties places: each follows those of its `after`, else the features' order
 * counts. Throws if places follow each other in a circle.
 */
export function sortPlaces(places: readonly Place[]): Place[] {
  const sorted = new Set<Place>()
  const add = (place: Place, following: readonly Place[]) => {
    if (following.includes(place))
      throw new TypeError(`a circle of places: ${following.map(({ table }) => table).join(', ')}`)
    const before = places.filter(({ table }) => place.after.includes(table))
    for (const other of before) add(other, [...following, place])
    sorted.add(place)
  }
  for (const place of places) add(place, [])
  return [...sorted]
}

/** Places that people look for first in an export. Other places follow, those of others last. */
const READ_FIRST: readonly (keyof Tables)[] = ['contacts', 'sms_messages', '_files']

export const sortForReaders = (places: readonly Place[]): Place[] => [
  ...READ_FIRST.flatMap((first) => places.filter(({ table }) => table === first)),
  ...places.filter(({ table }) => !READ_FIRST.includes(table)).toReversed(),
]
