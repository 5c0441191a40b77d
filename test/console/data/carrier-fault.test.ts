import { describeRefusal } from '../../../console/src/data/carriers/refusal-words.ts'

test('an error of a carrier repeats no words of its explanation', () => {
  expect(
    describeRefusal('The carrier cannot be reached: getaddrinfo ENOTFOUND api.example.com'),
  ).toBe('The carrier cannot be reached. In detail: getaddrinfo ENOTFOUND api.example.com')
  expect(describeRefusal('The carrier refused it: 401, unauthorized')).toBe(
    'The carrier does not accept the credentials. In detail: 401, unauthorized',
  )
})
