"use strict";
(() => {
	const form = document.querySelector(".find");
	if (!form) return;
	const find = form.querySelector("#find"), only = form.querySelector("#only"), said = form.querySelector("output");
	const rows = [...document.querySelectorAll(".scenarios tbody tr")].map(row => ({
		row, family: row.closest("details"),
		text: (row.closest("details").querySelector("h4").textContent + "/" + row.cells[0].textContent).toLowerCase(),
		plain: !row.querySelector(".warn, .bad"),
	}));
	const before = new Map();
	const show = () => {
		const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
		const asked = words.length > 0 || (only && only.checked);
		const left = new Set();
		let n = 0;
		for (const r of rows) {
			const hit = words.every(w => r.text.includes(w)) && !(only && only.checked && r.plain);
			r.row.hidden = !hit;
			if (hit) { n++; left.add(r.family); }
		}
		for (const family of new Set(rows.map(r => r.family))) {
			if (asked && !before.has(family)) before.set(family, family.open);
			family.hidden = !left.has(family);
			if (asked) family.open = true;
			else if (before.has(family)) { family.open = before.get(family); before.delete(family); }
		}
		said.value = asked ? n + " of " + rows.length : "";
	};
	find.addEventListener("input", show);
	if (only) only.addEventListener("change", show);
	form.addEventListener("submit", e => e.preventDefault());
	form.hidden = false;
})();
