/** Times as an operator reads them: in the zone of the setting TIME_ZONE, whatever the zone of the machine. */
export interface Times {
  readonly zone: string;
  /** `2026-11-22 19:55:13`. */
  readonly text: (ms: number) => string;
  /** `2026-11-22T19:55:13.120+01:00`: the same, for programs and spreadsheets. */
  readonly iso: (ms: number) => string;
}

export function createTimes(zone: string): Times {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZoneName: 'longOffset',
  });
  const read = (ms: number) => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    return {
      date: `${part['year']}-${part['month']}-${part['day']}`,
      time: `${part['hour']}:${part['minute']}:${part['second']}`,
      fraction: part['fractionalSecond'],
      // Some versions of Node write `GMT` alone for UTC.
      offset: part['timeZoneName']?.slice('GMT'.length) || '+00:00',
    };
  };
  return {
    zone,
    text(ms) {
      const { date, time } = read(ms);
      return `${date} ${time}`;
    },
    iso(ms) {
      const { date, time, fraction, offset } = read(ms);
      return `${date}T${time}.${fraction}${offset}`;
    },
  };
}
