"use strict";

// How the status page writes figures.

const nothing = "–";
const clock = time => new Date(time).toLocaleTimeString([], {hour12: false});
const duration = seconds => {
  if (seconds < 0.001) return "0 s";
  if (seconds < 1) return Math.round(seconds * 1000) + " ms";
  if (seconds < 10) return seconds.toFixed(1) + " s";
  if (seconds < 120) return Math.round(seconds) + " s";
  if (seconds < 7200) return Math.round(seconds / 60) + " min";
  if (seconds < 172800) return Math.round(seconds / 3600) + " h";
  return Math.round(seconds / 86400) + " days";
};
const bytes = number => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (number >= 1024 && unit < units.length - 1) { number /= 1024; unit += 1; }
  return (unit === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)) + " " + units[unit];
};
const count = number => Math.round(number).toLocaleString("en");
const rate = number => {
  if (number === 0) return "0";
  return number < 10 ? number.toFixed(2) : number < 100 ? number.toFixed(1) : count(number);
};
const moment = time => {
  if (!time) return nothing;
  const isToday = new Date(time).toDateString() === new Date().toDateString();
  return isToday ? clock(time) : new Date(time).toLocaleDateString([], {dateStyle: "medium"}) + " " + clock(time);
};

// By the name that data-form has in the page.
const asTexts = {
  count, rate, bytes, moment, seconds: duration, text: text => text, yes: truth => truth ? "yes" : "no",
};
