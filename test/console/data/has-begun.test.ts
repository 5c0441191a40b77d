// the code of browsers has types that Node's tests have not
const FILE = '../../../console/src/data/campaign-progress.ts'
type HasBegun = (progress: { readonly counts: Readonly<Record<string, number>> }) => boolean
const { hasBegun }: { hasBegun: HasBegun } = await import(FILE)

const counts = { pending: 13, assigned: 0, sending: 0, sent: 0, delivered: 0, failed: 0 }

test('a campaign whose texts all wait can still be changed', () => {
  expect(hasBegun({ counts })).toBe(false)
})

test.each(['assigned', 'sending', 'sent', 'delivered'])(
  'a campaign with a text that is %s has begun',
  (state) => expect(hasBegun({ counts: { ...counts, [state]: 1 } })).toBe(true),
)
