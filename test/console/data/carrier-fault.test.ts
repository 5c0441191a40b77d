import {
  describeRefusal,
  findRegistrationAdvice,
} from '../../../console/src/data/carriers/refusal-words.ts'

test('an error of a carrier repeats no words of its explanation', () => {
  expect(
    describeRefusal('The carrier cannot be reached: getaddrinfo ENOTFOUND api.example.com'),
  ).toBe('The carrier cannot be reached. In detail: getaddrinfo ENOTFOUND api.example.com')
  expect(describeRefusal('The carrier refused it: 401, unauthorized')).toBe(
    'The carrier does not accept the credentials. In detail: 401, unauthorized',
  )
})

test.each([
  ['The carrier did not deliver it: undelivered 30034', true],
  ['The carrier did not deliver it: delivery_failed 40010 Not 10DLC registered', true],
  ['The carrier did not deliver it: REJECTED EC_CAMPAIGN_ID_REJECTED Campaign ID rejected', true],
  ['The carrier refused it: 400, 40329 Toll-free number not verified', true],
  ['The carrier did not deliver it: undelivered 30003', false],
  ['The carrier did not deliver it: failed 130034', false],
  ['30034 is busy', false],
])('the failure %j has advice about registration: %j', (errorMessage, isAdvised) => {
  expect(findRegistrationAdvice(errorMessage) !== '').toBe(isAdvised)
})
