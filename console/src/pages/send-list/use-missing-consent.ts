import { useEffect, useState } from 'preact/hooks'
import type { PhoneReading } from '#portable/phone/read.ts'
import { pb } from '../../data/client.ts'
import { type Fault, faultOf } from '../../data/fault.ts'
import { useLatest } from '../../data/use/use-latest.ts'

/** Numbers in one request: the server reads at most as many as one send may have. */
const AT_ONCE = 500

interface Preview {
  readonly items: readonly { readonly to: string; readonly without_consent: boolean }[]
}

/** People of a list who have not given consent; `busy` until the server has named them. */
export interface Unproved {
  readonly numbers: ReadonlySet<string>
  readonly busy: boolean
  readonly fault: Fault | undefined
}

const NONE: Unproved = { numbers: new Set(), busy: false, fault: undefined }

/** Asks the server which numbers of a list have no proof of consent, if `isAsked`. */
export function useMissingConsent(numbers: readonly PhoneReading[], isAsked: boolean): Unproved {
  const [found, setFound] = useState(NONE)
  const begin = useLatest()
  useEffect(() => {
    const isLatest = begin()
    if (!isAsked) return setFound(NONE)
    setFound({ ...NONE, busy: true })
    const phones = [...new Set(numbers.flatMap(({ phone }) => phone ?? []))]
    readUnproved(phones, isLatest).then(
      (unproved) => isLatest() && setFound({ ...NONE, numbers: unproved }),
      (error) => isLatest() && setFound({ ...NONE, fault: faultOf(error) }),
    )
  }, [numbers, isAsked])
  return found
}

async function readUnproved(phones: readonly string[], isWanted: () => boolean): Promise<Set<string>> {
  const unproved = new Set<string>()
  for (let at = 0; at < phones.length && isWanted(); at += AT_ONCE) {
    const body = { recipients: phones.slice(at, at + AT_ONCE), body: '?', requires_consent: true }
    const { items } = await pb.send<Preview>('/api/sms/preview', { method: 'POST', body, requestKey: null })
    for (const { to, without_consent } of items) if (without_consent) unproved.add(to)
  }
  return unproved
}
