import { forbidden } from '../../errors.ts'
import { FilterError } from '../errors.ts'
import type { FilterQuery } from './filter-query.ts'

const MAX_FILTER_BYTES = 3500

/** Even inside quotes. PocketBase: apis/record_helpers.go, checkForSuperuserOnlyRuleFields */
const FOR_SUPERUSERS = ['@collection.', '@request.']

/** Checks what no client may use. Throws an ApiError 403 or a FilterError. Contract 1.3, 2.9. */
export function checkClientLimits({ filter, sort }: FilterQuery, isSuperuser: boolean): void {
  if (!isSuperuser) {
    for (const text of [filter, sort]) {
      const found = FOR_SUPERUSERS.find((name) => text.includes(name))
      if (found) throw forbidden(`Only superusers can filter by ${found}`)
    }
  }
  if (filter.length * 3 > MAX_FILTER_BYTES && Buffer.byteLength(filter) > MAX_FILTER_BYTES) {
    throw new FilterError('max filter length limit reached')
  }
}
