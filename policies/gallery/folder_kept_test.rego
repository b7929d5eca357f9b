package pasteport.site_test

import data.pasteport.site

_folder_kept_refuses(action, paths) if {
	some entry in site.deny with input as {
		"subject": {"type": "admin", "guest": false},
		"action": action,
		"resource": {"paths": paths, "extension": "", "share": {"expires_in": 0, "has_password": false}},
	}
		with site._kept_folders as {"/a"}
	entry.code == "folder_kept"
}

test_nobody_changes_kept_folders if {
	_folder_kept_refuses("mount.delete", ["/a/x"])
	_folder_kept_refuses("mount.move", ["/b/x", "/a/x"])
	_folder_kept_refuses("webdav.write", ["/a"])
	not _folder_kept_refuses("mount.delete", ["/ab"])
	not _folder_kept_refuses("mount.read", ["/a/x"])
	not _folder_kept_refuses("mount.share", ["/a/x"])
}

# What was filled in.
test_folder_kept_has_values if {
	every folder in site._kept_folders {
		startswith(folder, "/")
	}
	count(site._kept_folders) > 0
}
