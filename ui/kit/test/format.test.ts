import { describe, expect, it } from 'vitest';
import { number, percent, percentage } from '../src/format/numbers.ts';
import { bytes, speed } from '../src/format/sizes.ts';
import { date, dateTime, duration, relativeTime, timeLeft, weekday } from '../src/format/times.ts';

/** Languages use different kinds of space between number and unit. */
const plain = (text: string | undefined): string | undefined => text?.replace(/\s/g, ' ');

describe('sizes', () => {
  it.each([
    [0, '0 B', '0 B'],
    [999, '999 B', '999 B'],
    [1000, '1 kB', '1 kB'],
    [1_234_567, '1.2 MB', '1,2 MB'],
    [999_960, '1 MB', '1 MB'],
    [182_400_000_000, '182 GB', '182 GB'],
    [4e15, '4 PB', '4 PB'],
  ])('%d bytes', (value, en, de) => {
    expect(plain(bytes(value, 'en'))).toBe(en);
    expect(plain(bytes(value, 'de'))).toBe(de);
  });

  it('shows negative values as zero', () => expect(plain(bytes(-5, 'en'))).toBe('0 B'));

  it('formats speeds', () => {
    expect(plain(speed(11_400_000, 'en'))).toBe('11.4 MB/s');
    expect(plain(speed(11_400_000, 'de'))).toBe('11,4 MB/s');
    expect(plain(speed(12, 'de'))).toBe('12 B/s');
  });
});

describe('numbers', () => {
  it('groups digits by language', () => {
    expect(number(1234567.89, 'en')).toBe('1,234,567.9');
    expect(number(1234567.89, 'de')).toBe('1.234.567,9');
  });

  it('shows 100 % only when complete', () => {
    expect(percent(0.999, 'en')).toBe('99%');
    expect(plain(percent(1, 'de'))).toBe('100 %');
    expect(percentage(105.25, 'en')).toBe('105.3%');
    expect(plain(percentage(5.2, 'de'))).toBe('5,2 %');
  });
});

describe('times', () => {
  it.each([
    [0, '0 sec'],
    [45.4, '45 sec'],
    [60, '1 min'],
    [3_905, '1 hr 5 min'],
    [86_400, '1 day'],
    [273_600, '3 days 4 hr'],
  ])('%d seconds', (seconds, text) => expect(plain(duration(seconds, 'en'))).toBe(text));

  it('formats durations in German', () =>
    expect(plain(duration(3_905, 'de'))).toBe('1 Std. 5 Min.'));

  it('shows the remaining time only if it is known', () => {
    expect(plain(timeLeft(1000, 100, 'en'))).toBe('10 sec');
    expect(plain(timeLeft(599, 1, 'en'))).toBe('9 min 59 sec');
    expect(plain(timeLeft(754, 1, 'en'))).toBe('13 min');
    expect(plain(timeLeft(35_999, 1, 'en'))).toBe('10 hr');
    expect(timeLeft(1000, 0, 'en')).toBeUndefined();
    expect(timeLeft(Number.NaN, 5, 'en')).toBeUndefined();
  });

  it('formats relative times', () => {
    expect(relativeTime(1000 - 7200, 1000, 'en')).toBe('2 hours ago');
    expect(relativeTime(1000 + 86_400, 1000, 'de')).toBe('morgen');
    expect(relativeTime(1000, 1000, 'en')).toBe('now');
  });

  it('names the days of the week', () => {
    expect([1, 7].map((day) => weekday(day, 'short', 'de'))).toEqual(['Mo', 'So']);
    expect([1, 7].map((day) => weekday(day, 'long', 'en'))).toEqual(['Monday', 'Sunday']);
  });

  it('formats dates by language', () => {
    expect(date(1_789_985_000, 'de')).toBe('21.09.2026');
    expect(plain(dateTime(1_789_985_000, 'en'))).toContain('Sep 21, 2026');
  });
});
