import {
  readDestination,
  readPrefix,
  readSenderFilter,
} from '../../src/portable/phone/number-patterns.ts'

test.each([
  ['+49151', '', '+49151'],
  ['+49 151', '', '+49151'],
  ['0049 (151)', '', '+49151'],
  ['٠٠٤٩١٥١', '', '+49151'],
  ['49151', '', '49151'],
  ['0151', 'DE', '+49151'],
  ['0151', '49', '+49151'],
  ['06', 'IT', '+3906'],
  ['0151', '', '0151'],
  ['0151', 'US', '0151'],
  ['ACME', 'DE', 'ACME'],
  ['', 'DE', ''],
])('the prefix "%s" in "%s" becomes "%s"', (text, country, prefix) => {
  expect(readPrefix(text, country)).toBe(prefix)
})

test.each([
  ['-0900', 'DE', '-49900'],
  ['-+49 900', '', '-49900'],
  ['-49900', '', '-49900'],
  ['+1', '', '+1'],
])('the destination "%s" in "%s" becomes "%s"', (text, country, destination) => {
  expect(readDestination(text, country)).toBe(destination)
})

test.each([
  ['0151 20000010', 'DE', '+4915120000010'],
  ['0151*', 'DE', '+49151*'],
  ['+49 151*', '', '+49151*'],
  ['ACME', 'DE', 'ACME'],
  ['ACME*', 'DE', 'ACME*'],
  ['72722', 'DE', '72722'],
])('the filter "%s" in "%s" becomes "%s"', (text, country, filter) => {
  expect(readSenderFilter(text, country)).toBe(filter)
})
