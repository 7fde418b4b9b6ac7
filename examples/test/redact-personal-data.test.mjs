import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { personalDataKinds } from '../library/personal-data.mjs';
import redactPersonalData from '../tools/redact-personal-data.mjs';

const redact = (text, kinds = personalDataKinds) => redactPersonalData.handler({ text, kinds });

/** Redacted as the one kind, with nothing left over; the sentence around it is untouched. */
const found = (kind, examples) => {
  for (const example of examples) assert.equal(redact(`About ${example}, please.`).text, `About [${kind}], please.`, example);
};
const untouched = (examples) => {
  for (const example of examples) assert.equal(redact(`About ${example}, please.`).text, `About ${example}, please.`, example);
};

describe('example.redact-personal-data', () => {
  it('finds email addresses', () => {
    found('email', ['joe@example.com', 'joe.doe+news@mail.example.co.uk', 'jürgen@müller.de', 'a_b@x-y.org', 'joe@xn--bcher-kva.xn--p1ai']);
    untouched(['@joe', 'joe@localhost', 'joe@', '@example.com', 'a @ b.com']);
  });

  it('finds addresses that follow each other directly', () => {
    assert.equal(redact('a@b.com,c@d.com;e@f.com').text, '[email],[email];[email]');
    assert.ok(!redact('a@b.com-d@e.com').text.includes('@'));
  });

  it('finds IBANs with a right checksum, spaced or not', () => {
    found('iban', ['DE89 3704 0044 0532 0130 00', 'DE89370400440532013000', 'GB82 WEST 1234 5698 7654 32', 'NO93 8601 1117 947', 'fr14 2004 1010 0505 0001 3m02 606']);
    untouched(['GB83 WEST 1234 5698 7654 32', 'DE8937040044053201300', 'XX82 WEST 1234 5698 7654 32', 'ADE89370400440532013000']);
  });

  it('finds card numbers with a right checksum, alone or among other numbers', () => {
    found('credit-card', ['4111 1111 1111 1111', '4111-1111-1111-1111', '4111111111111111', '3782 822463 10005', '5555555555554444']);
    untouched(['4111 1111 1111 1112', '1732900000000', '0.5714285714285714', '41111111111111111111', 'x4111111111111111']);
    assert.equal(redact('12 4111 1111 1111 1111 2027').text, '12 [credit-card] 2027');
  });

  it('finds IPv4 addresses and leaves versions alone', () => {
    found('ipv4', ['192.168.1.1', '8.8.8.8', '255.255.255.255']);
    untouched(['256.1.1.1', '1.2.3', '1.2.3.4.5', 'v1.2.3.4']);
    assert.equal(redact('It was 10.0.0.1.').text, 'It was [ipv4].');
  });

  it('finds phone numbers of several countries', () => {
    found('phone', ['+49 30 1234567', '+44 (0)20 7946 0958', '+1 (555) 123-4567', '(555) 123-4567', '555-123-4567', '1-800-555-0199', '0049301234567', '030 1234567', '(030) 1234567', '020 7946 0958', '07700 900123', '06 12 34 56 78', '0171/1234567']);
  });

  it('leaves dates, times, sums and book numbers alone', () => {
    untouched(['2024-01-15', '01/02/2024 10:30', '15.01.2024', '1,234,567.89', '978-0-306-40615-2', '12 345 678 pieces', '10:00 2024-01-15 10']);
  });

  it('takes what overlaps for the more certain kind and loses none of it', () => {
    assert.equal(redact('+49 30 1234567 4111 1111 1111 1111').text, '[phone] [credit-card]');
    assert.equal(redact('5551234567@example.com').text, '[email]');
    assert.equal(redact('+49 30 1234567 555-123-4567').text, '[phone] [phone]');
    assert.equal(redact('+49 30 1234567/+49 30 7654321+49 30 1111111').text, '[phone]/[phone][phone]');
  });

  it('finds what stands in the cells of a CSV text', () => {
    assert.equal(redact('7,4111111111111111,ann@example.com,555-123-4567,10.0.0.1,8').text, '7,[credit-card],[email],[phone],[ipv4],8');
  });

  it('counts every kind', () => {
    const { counts } = redact('a@b.com, c@d.com, 8.8.8.8, 555-123-4567');
    assert.deepEqual(counts, { email: 2, iban: 0, 'credit-card': 0, ipv4: 1, phone: 1 });
  });

  it('redacts the wanted kinds only, and no other kind in their name', () => {
    const text = 'a@b.com 4111 1111 1111 1111 555-123-4567';
    assert.deepEqual(redact(text, ['phone']), {
      text: 'a@b.com 4111 1111 1111 1111 [phone]',
      counts: { email: 0, iban: 0, 'credit-card': 0, ipv4: 0, phone: 1 },
    });
  });

  it('takes an empty text and one that is all findings', () => {
    assert.equal(redact('').text, '');
    assert.equal(redact('a@b.com '.repeat(100_000)).counts.email, 100_000);
  });

  it('takes time in proportion to a text made to slow it down', { timeout: 20_000 }, () => {
    const size = 100_000;
    for (const piece of ['a', 'a@', '1.', '4 ', '4111 ', '+1 ', '(', 'DE89 ', '012 ', 'a@1.', 'a@b.co-']) {
      redact(piece.repeat(size / piece.length));
      redact(`a@${piece.repeat(size / piece.length)}`);
    }
  });
});
