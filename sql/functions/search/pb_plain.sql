-- A text with the letters that the regular expression of `:fold` knows: without wide forms, invisible marks,
-- accents of Latin, Greek and Cyrillic letters, rare strokes. `foldText` in src/portable/fold-text.ts does
-- the same.
create or replace function pb_plain(t text) returns text language sql immutable parallel safe as $$
  select replace(replace(translate(
    normalize(regexp_replace(normalize(regexp_replace(normalize(t, NFKC), '['
      '\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f'
      '\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd'
      '\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
      ']' collate "C", '', 'g'), NFD), '[\u0300-\u036f]' collate "C", '', 'g'), NFC),
    'ÐðĦħŦŧŊŋɃƀƗɨƵƶɌɍɎɏɆɇɈɉȽƚƟɵɄʉᲀᲁᲂᲃᲄᲅᲆᲇᲈ', 'DdHhTtNnBbIiZzRrYyEeJjLlOoUuвдосттъѣꙋ'), 'Þ', 'Th'), 'þ', 'th')
$$;
